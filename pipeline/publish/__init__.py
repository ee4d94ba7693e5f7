"""Publish a build: git, pull request, review, release, merging of locks."""
