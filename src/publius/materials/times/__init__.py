"""Times of a day, a week or a year."""
