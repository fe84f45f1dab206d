"""The model that ships with the app; README.md is its card."""
