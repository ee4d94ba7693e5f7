"""Write the report of a build as Markdown, HTML and JSON."""
