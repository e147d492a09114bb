-- Creates the database roles. The owner of the database runs the migrations.
--
--   detourage_service   the processes: read and write rows, alter no table
--   detourage_read      dashboards, `detourage status`, `detourage inspect`:
--                       read-only, at most five minutes per statement
--
-- Run it with psql 15 or later in the service's database, as the owner (with CREATEROLE) or as a
-- superuser, before or after `detourage migrate`. It is idempotent and applies new passwords, which
-- come from the environment to keep them out of process listings:
--
--   DATABASE_SERVICE_PASSWORD=… DATABASE_READ_PASSWORD=… psql --file deploy/database-roles.sql URL

\set ON_ERROR_STOP on
\set QUIET on
\getenv service_password DATABASE_SERVICE_PASSWORD
\getenv read_password DATABASE_READ_PASSWORD

SELECT pg_get_userbyid(datdba) AS owner, datname AS database
FROM pg_database WHERE datname = current_database() \gset

BEGIN;

SELECT format('CREATE ROLE %I', role)
FROM unnest(ARRAY['detourage_service', 'detourage_read']) AS role
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) \gexec

ALTER ROLE detourage_service LOGIN PASSWORD :'service_password';
ALTER ROLE detourage_read LOGIN PASSWORD :'read_password';
ALTER ROLE detourage_read SET default_transaction_read_only = on;
ALTER ROLE detourage_read SET statement_timeout = '5min';

REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO detourage_service, detourage_read;
GRANT USAGE ON SCHEMA public TO detourage_service, detourage_read;

-- Rights on existing tables, and on the tables of future migrations.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO detourage_service;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO detourage_service;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO detourage_read;
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO detourage_service;
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public
    GRANT USAGE ON SEQUENCES TO detourage_service;
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" IN SCHEMA public
    GRANT SELECT ON TABLES TO detourage_read;

COMMIT;
