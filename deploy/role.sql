-- The role and the database of the program. It is no superuser: row-level security binds it.
CREATE ROLE throughline LOGIN PASSWORD 'for-this-machine-only';
CREATE DATABASE throughline OWNER throughline;
