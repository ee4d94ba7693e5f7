"""HTTP requests and responses of a REST API as the request and response messages of an rpc."""
