"""How well the methods that group pages by their template find the templates."""
