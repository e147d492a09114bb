"""Methods: K. Deturck, "Détection de contenu utile depuis des sites d'actualité", INaLCO, 2015."""
