"""Drawings of the site as SVG files: ``python -m docs.tools.drawings`` writes docs/drawings.

The files stand in the checkout, so pages show them there too. The site puts them into its pages, where their colours
follow its light or dark theme.
"""
