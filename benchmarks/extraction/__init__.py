"""Scripts behind the tables of extraction in the README of this folder."""
