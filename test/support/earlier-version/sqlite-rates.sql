-- The file beside the SQLite database, with the counts of throttles.
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "rates" ("key" text primary key, "used" bigint not null, "ends" bigint not null);
CREATE INDEX "rates_by_end" on "rates" ("ends");
insert into "kysely_migration" ("name", "timestamp") values ('resource-api/throttling/0001_rates', '2026-11-22T02:24:32.973Z');
insert into "kysely_migration_lock" ("id", "is_locked") values ('migration_lock', 0);
insert into "rates" ("key", "used", "ends") values ('JQ-3eorJY1dv3D-pd-hFM-Axc4mdYeRWQxQf_mQl1zo', 1, 1925078413000);
insert into "rates" ("key", "used", "ends") values ('cDeY2kTOPB0VV6DyKnsSLxGsIbHxAX8otuYizx1VfOk', 1, 1924992314000);
insert into "rates" ("key", "used", "ends") values ('i-3SKo1R7ChF9ekCqkoBLW-6eIwopgYbTRxbShdyup4', 1, 1924995614000);
insert into "rates" ("key", "used", "ends") values ('CEPfEvfBvt-1YHnksH46oeoFY-DhQy2WlXyQqyGG5lU', 0, 1924992320000);
