# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Sphinx's configuration. tools/site lays the pages out and calls Sphinx."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))
import rijn_header

project = "Rijn"
version = release = rijn_header.VERSION
copyright = "the Rijn contributors. Apache-2.0 OR BSD-2-Clause"
language = "en"
extensions = ["myst_parser"]
root_doc = "index"
myst_heading_anchors = 4
# A warning is a missing page or anchor, and ends the build (tools/site).
nitpicky = False
html_theme = "furo"
html_title = f"Rijn {version}"
html_static_path = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")]
html_css_files = ["rijn.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_use_index = True
# WHY not: scripts would fetch the pages for it, which no browser allows them where the site is opened as files.
html_show_search_summary = False
pygments_style = "default"
pygments_dark_style = "github-dark"
highlight_language = "none"
c_id_attributes = []
