"""Tests that drive JupyterLab and Notebook in headless Chromium."""
