"""Write `binding.json`: how JSON and protobuf correspond."""
