"""Builds the Windows installer, on Linux, from package registries alone. Not part of the app."""
