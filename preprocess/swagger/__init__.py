"""Check Swagger 2.0 documents and locate their converted parts."""
