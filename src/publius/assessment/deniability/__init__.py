"""How well a word is hidden among others, and which ε hides it how well."""
