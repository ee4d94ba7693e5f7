"""The documents that all stages share: findings, located values, profile, lock and contract."""
