-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "tokens"."user_id" as "id",
      "tokens"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "tokens"."user_id"
      ) as "username",
      to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "tokens") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "tokens"."user_id" as "page row"
  from "tokens"
  order by "tokens"."user_id" asc
  limit cast($3 as bigint) offset $4
) as "page rows"
cross join "tokens"
where "tokens"."user_id" = "page row"
order by "tokens"."user_id" asc;

-- list: the last page
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "tokens"."user_id" as "id",
      "tokens"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "tokens"."user_id"
      ) as "username",
      to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "tokens") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "tokens"."user_id" as "page row"
  from "tokens"
  order by "tokens"."user_id" asc
  limit cast($3 as bigint) offset abs(
    (
      select case when (
        select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
      ) = $4 then cast($5 as bigint) else (select count(*) from "tokens") end
    ) - 1
  ) / cast($6 as bigint) * cast($7 as bigint)
) as "page rows"
cross join "tokens"
where "tokens"."user_id" = "page row"
order by "tokens"."user_id" asc;

-- list: a slice without the count
-- parameters: limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "tokens"."user_id" as "id",
      "tokens"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "tokens"."user_id"
      ) as "username",
      to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
)
from (
  select "tokens"."user_id" as "page row"
  from "tokens"
  order by "tokens"."user_id" asc
  limit cast($1 as bigint) offset $2
) as "page rows"
cross join "tokens"
where "tokens"."user_id" = "page row"
order by "tokens"."user_id" asc;

-- list: only the count
-- parameters: cached_version, cached_count
select (
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "tokens") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
);

-- list: the first rows
-- parameters: limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "tokens"."user_id" as "id",
      "tokens"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "tokens"."user_id"
      ) as "username",
      to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
cast("tokens"."user_id" as text)
from "tokens"
order by "tokens"."user_id" asc
limit cast($1 as bigint);

-- list: the rows after a cursor position
-- parameters: position0, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "tokens"."user_id" as "id",
      "tokens"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "tokens"."user_id"
      ) as "username",
      to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
cast("tokens"."user_id" as text)
from "tokens"
where ("tokens"."user_id") > ($1)
order by "tokens"."user_id" asc
limit cast($2 as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.user value, filter.user value, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "tokens"."user_id" as "id",
      "tokens"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "tokens"."user_id"
      ) as "username",
      to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "tokens" where ("tokens"."user_id" = cast($3 as bigint))) end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "tokens"."user_id" as "page row"
  from "tokens"
  where ("tokens"."user_id" = cast($4 as bigint))
  order by "tokens"."created" asc,
  "tokens"."user_id" asc
  limit cast($5 as bigint) offset $6
) as "page rows"
cross join "tokens"
where "tokens"."user_id" = "page row"
order by "tokens"."created" asc,
"tokens"."user_id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: position0, position1, filter.user value, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "tokens"."user_id" as "id",
      "tokens"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "tokens"."user_id"
      ) as "username",
      to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
cast("tokens"."created" as text),
cast("tokens"."user_id" as text)
from "tokens"
where ("tokens"."created", "tokens"."user_id") > ($1, $2) and ("tokens"."user_id" = cast($3 as bigint))
order by "tokens"."created" asc,
"tokens"."user_id" asc
limit cast($4 as bigint);

-- retrieve
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select "tokens"."user_id" as "id",
      "tokens"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "tokens"."user_id"
      ) as "username",
      to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
null
from "tokens"
where "tokens"."user_id" = cast($1 as bigint);

-- destroy: load the object
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (
          select "tokens"."user_id" as "user",
          to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
        ) as o
      ) as "values"
    ) as o
  ) as text
)
from "tokens"
where "tokens"."user_id" = cast($1 as bigint);

-- destroy in a transaction: lock
-- parameters: keys
select "tokens"."user_id",
cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (
          select "tokens"."user_id" as "user",
          to_char("tokens"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
        ) as o
      ) as "values"
    ) as o
  ) as text
),
"tokens"."user_id"
from "tokens"
where "tokens"."user_id" = any(cast($1 as bigint[]))
order by "tokens"."user_id" for update;

-- destroy in a transaction
-- parameters: keys
delete from "tokens" where "tokens"."user_id" = any(cast($1 as bigint[]));

-- view regenerate: read the object
-- parameters: id
select cast((select row_to_json(o.*) from (select "tokens"."user_id" as "user_id") as o) as text)
from "tokens"
where "tokens"."user_id" = cast($1 as bigint);

-- view deletion: read the object
-- parameters: id
select cast((select row_to_json(o.*) from (select ) as o) as text)
from "tokens"
where "tokens"."user_id" = cast($1 as bigint);
