-- The SQLite database of a service before migrations had owners: its schema and rows, as that version wrote them.
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "users" ("id" integer primary key autoincrement not null, "username" text not null unique, "email" text default '' not null, "password" text, "is_active" integer default true not null, "is_staff" integer default false not null, "is_superuser" integer default false not null, "date_joined" text not null, "username_key" text, "remote_identity" text);
CREATE TABLE "groups" ("id" integer primary key autoincrement not null, "name" text not null unique);
CREATE TABLE "user_groups" ("user_id" integer not null references "users" ("id") on delete cascade, "group_id" integer not null references "groups" ("id") on delete cascade, constraint "user_groups_key" primary key ("user_id", "group_id"));
CREATE TABLE "user_permissions" ("user_id" integer not null references "users" ("id") on delete cascade, "permission" text not null, constraint "user_permissions_key" primary key ("user_id", "permission"));
CREATE TABLE "group_permissions" ("group_id" integer not null references "groups" ("id") on delete cascade, "permission" text not null, constraint "group_permissions_key" primary key ("group_id", "permission"));
CREATE TABLE "tokens" ("user_id" integer primary key references "users" ("id") on delete cascade, "digest" text not null unique, "sealed" text not null, "created" text not null);
CREATE TABLE "named_tokens" ("id" integer primary key autoincrement not null, "user_id" integer not null references "users" ("id") on delete cascade, "name" text not null, "digest" text not null unique, "created" text not null, "expires" text, "last_used" text);
CREATE TABLE "sessions" ("id" integer primary key autoincrement not null, "digest" text not null unique, "user_id" integer not null references "users" ("id") on delete cascade, "created" text not null, "last_used" text not null);
CREATE TABLE "secret_fingerprints" ("id" integer primary key, "fingerprints" text not null);
CREATE TABLE "snippets" ("id" integer primary key autoincrement not null, "owner_id" integer not null references "users" ("id") on delete cascade, "created" text not null, "title" text not null, "code" text not null, "linenos" integer default false not null, "language" text not null, "style" text not null, "highlighted" text not null);
CREATE TABLE "audit_log" ("id" integer primary key autoincrement not null, "created" text not null, "event" text not null, "outcome" text not null, "user" text, "address" text, "target" text not null, "status" integer);
CREATE INDEX "users_by_join" on "users" ("date_joined", "id");
CREATE INDEX "user_groups_by_group" on "user_groups" ("group_id");
CREATE INDEX "snippets_in_order" on "snippets" ("created", "id");
CREATE INDEX "snippets_by_owner" on "snippets" ("owner_id", "id");
CREATE INDEX "sessions_by_user" on "sessions" ("user_id");
CREATE UNIQUE INDEX "users_by_remote_identity" on "users" ("remote_identity");
CREATE UNIQUE INDEX "users_by_key" on "users" ("username_key");
CREATE INDEX "named_tokens_by_user" on "named_tokens" ("user_id", "id");
insert into "kysely_migration" ("name", "timestamp") values ('0001_accounts', '2026-11-22T02:24:32.993Z');
insert into "kysely_migration" ("name", "timestamp") values ('0002_snippets', '2026-11-22T02:24:32.994Z');
insert into "kysely_migration" ("name", "timestamp") values ('0003_sessions', '2026-11-22T02:24:32.999Z');
insert into "kysely_migration" ("name", "timestamp") values ('0003_username_keys', '2026-11-22T02:24:33.001Z');
insert into "kysely_migration" ("name", "timestamp") values ('0005_named_tokens', '2026-11-22T02:24:33.002Z');
insert into "kysely_migration" ("name", "timestamp") values ('0006_permissions', '2026-11-22T02:24:33.003Z');
insert into "kysely_migration" ("name", "timestamp") values ('0007_audit_log', '2026-11-22T02:24:33.007Z');
insert into "kysely_migration" ("name", "timestamp") values ('0007_session_keys', '2026-11-22T02:24:33.011Z');
insert into "kysely_migration" ("name", "timestamp") values ('0008_remote_identities', '2026-11-22T02:24:33.012Z');
insert into "kysely_migration" ("name", "timestamp") values ('0009_secret_fingerprints', '2026-11-22T02:24:33.013Z');
insert into "kysely_migration_lock" ("id", "is_locked") values ('migration_lock', 0);
insert into "users" ("id", "username", "email", "password", "is_active", "is_staff", "is_superuser", "date_joined", "username_key", "remote_identity") values (1, 'ann', '', '$argon2id$v=19$m=19456,t=2,p=1$GO0s46pG9WPeOSmBFNPxAQ$0ab12kEew3n1nined6Ww6l5gBibpvO0JucUelfLOMZM', 1, 1, 1, '2031-01-01T00:00:01.000000Z', 'ANN', NULL);
insert into "users" ("id", "username", "email", "password", "is_active", "is_staff", "is_superuser", "date_joined", "username_key", "remote_identity") values (2, 'Zoë', 'zoe@example.org', '$argon2id$v=19$m=19456,t=2,p=1$GO0s46pG9WPeOSmBFNPxAQ$0ab12kEew3n1nined6Ww6l5gBibpvO0JucUelfLOMZM', 1, 0, 0, '2031-01-01T00:00:03.000000Z', 'ZOË', NULL);
insert into "users" ("id", "username", "email", "password", "is_active", "is_staff", "is_superuser", "date_joined", "username_key", "remote_identity") values (3, 'remote', '', '$argon2id$v=19$m=19456,t=2,p=1$GO0s46pG9WPeOSmBFNPxAQ$0ab12kEew3n1nined6Ww6l5gBibpvO0JucUelfLOMZM', 1, 0, 0, '2031-01-01T00:00:05.000000Z', 'REMOTE', 'remote@example.org');
insert into "groups" ("id", "name") values (1, 'readers');
insert into "user_groups" ("user_id", "group_id") values (2, 1);
insert into "user_permissions" ("user_id", "permission") values (2, 'snippets.change');
insert into "group_permissions" ("group_id", "permission") values (1, 'snippets.delete');
insert into "tokens" ("user_id", "digest", "sealed", "created") values (1, '650eb6b2863aed39a49cbb02bb061511f9cfd946270b15c3791cc98bb5aa3929', 'v1.lhNr3OzrLGeA07dmVRELHmAJIcE55LxLy_S4KJgAmnLA0_nHv6faqL80Na5qnOjmz1AnfOR1_KYkWbTYPGbKjpnKVXk', '2031-01-01T00:00:02.000000Z');
insert into "tokens" ("user_id", "digest", "sealed", "created") values (2, '75801ea99bfa20449295495a4644a37a6ce7b36fb7fddbea04072148610b082f', 'v1.hQVh9U0b6bagTBiGnoGzNwE0y00gLh0B3aF3IXZYuFXsHzXqEnLrIhgvA-7MgHCx2zrcI-uZsOITKRNh6Ovq3yMHeOk', '2031-01-01T00:00:04.000000Z');
insert into "tokens" ("user_id", "digest", "sealed", "created") values (3, '93c7ea33642649977c8921d5ff46acf1824999ab020107e30c97322aa5d1e358', 'v1.un-Y9J1WUdBjkHaZNrK4Q2pNecVwSm5-rXRoQJXth88U_piX7MuXHCF57mFXhudgKn8sZxj2RMmnX05xtt81OOmBOEw', '2031-01-01T00:00:06.000000Z');
insert into "named_tokens" ("id", "user_id", "name", "digest", "created", "expires", "last_used") values (1, 2, 'Laptop', 'edaee611d80b2562e18a2ff21e3ff4d4dec037cc1d73750ab2cf5816f9e1ae74', '2031-01-01T00:00:23.000000Z', '2031-01-01T01:00:22.000000Z', NULL);
insert into "sessions" ("id", "digest", "user_id", "created", "last_used") values (1, '1bd3f2cd8ccdeaf02cca8b6497cdcd78d5107e6419a4d802993ce40dd063ebc2', 1, '2031-01-01T00:00:17.000000Z', '2031-01-01T00:00:17.000000Z');
insert into "secret_fingerprints" ("id", "fingerprints") values (1, '["AOLrsNv2Eyn5UmOmSIhVKZ"]');
insert into "snippets" ("id", "owner_id", "created", "title", "code", "linenos", "language", "style", "highlighted") values (1, 2, '2031-01-01T00:00:11.000000Z', 'Zoë''s', 'print("ä")', 0, 'python', 'friendly', '<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Zoë''s</title>
<style>body{margin:0;color:#393a34;background:#ffffff}
pre{margin:0;padding:1em;font:14px/1.4 ui-monospace,monospace;tab-size:4}
code{font:inherit}
table{border-spacing:0}
td{padding:0;vertical-align:top}
.linenos{text-align:right;opacity:.6;user-select:none}
.linenos pre{padding-right:0}
.c0{color:#998418}
.c1{color:#999999}
.c2{color:#B5695977}
.c3{color:#B56959}</style>
</head>
<body>
<pre><code><span class="c0">print</span><span class="c1">(</span><span class="c2">"</span><span class="c3">ä</span><span class="c2">"</span><span class="c1">)</span>
</code></pre>
</body>
</html>
');
insert into "snippets" ("id", "owner_id", "created", "title", "code", "linenos", "language", "style", "highlighted") values (2, 2, '2031-01-01T00:00:12.000000Z', 'Zoë''s', 'one = 1
two = 2', 0, 'python', 'friendly', '<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Zoë''s</title>
<style>body{margin:0;color:#393a34;background:#ffffff}
pre{margin:0;padding:1em;font:14px/1.4 ui-monospace,monospace;tab-size:4}
code{font:inherit}
table{border-spacing:0}
td{padding:0;vertical-align:top}
.linenos{text-align:right;opacity:.6;user-select:none}
.linenos pre{padding-right:0}
.c0{color:#999999}
.c1{color:#2F798A}</style>
</head>
<body>
<pre><code>one <span class="c0">=</span> <span class="c1">1</span>
two <span class="c0">=</span> <span class="c1">2</span>
</code></pre>
</body>
</html>
');
insert into "audit_log" ("id", "created", "event", "outcome", "user", "address", "target", "status") values (1, '2031-01-01T00:00:08.000000Z', 'account changed', 'success', 'ann', '127.0.0.1', 'POST /directory/groups/', 201);
insert into "audit_log" ("id", "created", "event", "outcome", "user", "address", "target", "status") values (2, '2031-01-01T00:00:10.000000Z', 'account changed', 'success', 'ann', '127.0.0.1', 'PATCH /directory/users/2/', 200);
insert into "audit_log" ("id", "created", "event", "outcome", "user", "address", "target", "status") values (3, '2031-01-01T00:00:15.000000Z', 'authentication', 'failure', NULL, '127.0.0.1', 'GET /directory/users/', 401);
insert into "audit_log" ("id", "created", "event", "outcome", "user", "address", "target", "status") values (4, '2031-01-01T00:00:18.000000Z', 'login', 'success', 'ann', '127.0.0.1', 'POST /api-auth/login/', NULL);
insert into "audit_log" ("id", "created", "event", "outcome", "user", "address", "target", "status") values (5, '2031-01-01T00:00:21.000000Z', 'token made', 'success', 'Zoë', '127.0.0.1', 'POST /api-token-auth/', NULL);
