-- list: a page
-- parameters: cached_version, cached_count, filter.createdAfter, filter.lastUsedAfter, filter.createdAfter, filter.lastUsedAfter, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "sessions"."id" as "id",
      "sessions"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "sessions"."user_id"
      ) as "username",
      to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
      to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used",
      (
        select row_to_json(o.*)
        from (
          select to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "expires"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (
    select count(*)
    from "sessions"
    where ("sessions"."created" > $3 and "sessions"."last_used" > $4)
  ) end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "sessions"."id" as "page row"
  from "sessions"
  where ("sessions"."created" > $5 and "sessions"."last_used" > $6)
  order by "sessions"."created" desc,
  "sessions"."id" desc
  limit cast($7 as bigint) offset $8
) as "page rows"
cross join "sessions"
where "sessions"."id" = "page row"
order by "sessions"."created" desc,
"sessions"."id" desc;

-- list: the last page
-- parameters: cached_version, cached_count, filter.createdAfter, filter.lastUsedAfter, filter.createdAfter, filter.lastUsedAfter, limit, cached_version, cached_count, filter.createdAfter, filter.lastUsedAfter, limit, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "sessions"."id" as "id",
      "sessions"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "sessions"."user_id"
      ) as "username",
      to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
      to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used",
      (
        select row_to_json(o.*)
        from (
          select to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "expires"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (
    select count(*)
    from "sessions"
    where ("sessions"."created" > $3 and "sessions"."last_used" > $4)
  ) end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "sessions"."id" as "page row"
  from "sessions"
  where ("sessions"."created" > $5 and "sessions"."last_used" > $6)
  order by "sessions"."created" desc,
  "sessions"."id" desc
  limit cast($7 as bigint) offset abs(
    (
      select case when (
        select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
      ) = $8 then cast($9 as bigint) else (
        select count(*)
        from "sessions"
        where ("sessions"."created" > $10 and "sessions"."last_used" > $11)
      ) end
    ) - 1
  ) / cast($12 as bigint) * cast($13 as bigint)
) as "page rows"
cross join "sessions"
where "sessions"."id" = "page row"
order by "sessions"."created" desc,
"sessions"."id" desc;

-- list: a slice without the count
-- parameters: filter.createdAfter, filter.lastUsedAfter, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "sessions"."id" as "id",
      "sessions"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "sessions"."user_id"
      ) as "username",
      to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
      to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used",
      (
        select row_to_json(o.*)
        from (
          select to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "expires"
    ) as o
  ) as text
)
from (
  select "sessions"."id" as "page row"
  from "sessions"
  where ("sessions"."created" > $1 and "sessions"."last_used" > $2)
  order by "sessions"."created" desc,
  "sessions"."id" desc
  limit cast($3 as bigint) offset $4
) as "page rows"
cross join "sessions"
where "sessions"."id" = "page row"
order by "sessions"."created" desc,
"sessions"."id" desc;

-- list: only the count
-- parameters: cached_version, cached_count, filter.createdAfter, filter.lastUsedAfter
select (
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (
    select count(*)
    from "sessions"
    where ("sessions"."created" > $3 and "sessions"."last_used" > $4)
  ) end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
);

-- list: the first rows
-- parameters: filter.createdAfter, filter.lastUsedAfter, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "sessions"."id" as "id",
      "sessions"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "sessions"."user_id"
      ) as "username",
      to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
      to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used",
      (
        select row_to_json(o.*)
        from (
          select to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "expires"
    ) as o
  ) as text
),
cast("sessions"."created" as text),
cast("sessions"."id" as text)
from "sessions"
where ("sessions"."created" > $1 and "sessions"."last_used" > $2)
order by "sessions"."created" desc,
"sessions"."id" desc
limit cast($3 as bigint);

-- list: the rows after a cursor position
-- parameters: position0, position1, filter.createdAfter, filter.lastUsedAfter, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "sessions"."id" as "id",
      "sessions"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "sessions"."user_id"
      ) as "username",
      to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
      to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used",
      (
        select row_to_json(o.*)
        from (
          select to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "expires"
    ) as o
  ) as text
),
cast("sessions"."created" as text),
cast("sessions"."id" as text)
from "sessions"
where ("sessions"."created", "sessions"."id") < ($1, $2) and ("sessions"."created" > $3 and "sessions"."last_used" > $4)
order by "sessions"."created" desc,
"sessions"."id" desc
limit cast($5 as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.0.createdAfter, filter.0.lastUsedAfter, filter.1.user value, filter.0.createdAfter, filter.0.lastUsedAfter, filter.1.user value, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "sessions"."id" as "id",
      "sessions"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "sessions"."user_id"
      ) as "username",
      to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
      to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used",
      (
        select row_to_json(o.*)
        from (
          select to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "expires"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (
    select count(*)
    from "sessions"
    where (
      (
        ("sessions"."created" > $3 and "sessions"."last_used" > $4) and ("sessions"."user_id" = cast($5 as bigint))
      )
    )
  ) end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "sessions"."id" as "page row"
  from "sessions"
  where (
    (
      ("sessions"."created" > $6 and "sessions"."last_used" > $7) and ("sessions"."user_id" = cast($8 as bigint))
    )
  )
  order by "sessions"."created" asc,
  "sessions"."last_used" asc,
  "sessions"."id" asc
  limit cast($9 as bigint) offset $10
) as "page rows"
cross join "sessions"
where "sessions"."id" = "page row"
order by "sessions"."created" asc,
"sessions"."last_used" asc,
"sessions"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: position0, position1, position2, filter.0.createdAfter, filter.0.lastUsedAfter, filter.1.user value, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "sessions"."id" as "id",
      "sessions"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "sessions"."user_id"
      ) as "username",
      to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
      to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used",
      (
        select row_to_json(o.*)
        from (
          select to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "expires"
    ) as o
  ) as text
),
cast("sessions"."created" as text),
cast("sessions"."last_used" as text),
cast("sessions"."id" as text)
from "sessions"
where ("sessions"."created", "sessions"."last_used", "sessions"."id") > ($1, $2, $3) and (
  (
    ("sessions"."created" > $4 and "sessions"."last_used" > $5) and ("sessions"."user_id" = cast($6 as bigint))
  )
)
order by "sessions"."created" asc,
"sessions"."last_used" asc,
"sessions"."id" asc
limit cast($7 as bigint);

-- retrieve
-- parameters: id, filter.createdAfter, filter.lastUsedAfter
select cast(
  (
    select row_to_json(o.*)
    from (
      select "sessions"."id" as "id",
      "sessions"."user_id" as "user",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "sessions"."user_id"
      ) as "username",
      to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
      to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used",
      (
        select row_to_json(o.*)
        from (
          select to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "expires"
    ) as o
  ) as text
),
null
from "sessions"
where "sessions"."id" = cast($1 as bigint) and ("sessions"."created" > $2 and "sessions"."last_used" > $3);

-- destroy: load the object
-- parameters: id, filter.createdAfter, filter.lastUsedAfter
select cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (
          select "sessions"."user_id" as "user",
          to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "values"
    ) as o
  ) as text
)
from "sessions"
where "sessions"."id" = cast($1 as bigint) and ("sessions"."created" > $2 and "sessions"."last_used" > $3);

-- destroy in a transaction: lock
-- parameters: keys, filter.createdAfter, filter.lastUsedAfter
select "sessions"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (
          select "sessions"."user_id" as "user",
          to_char("sessions"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created",
          to_char("sessions"."last_used" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "last_used"
        ) as o
      ) as "values"
    ) as o
  ) as text
),
"sessions"."id"
from "sessions"
where "sessions"."id" = any(cast($1 as bigint[])) and ("sessions"."created" > $2 and "sessions"."last_used" > $3)
order by "sessions"."id" for update;

-- destroy in a transaction
-- parameters: keys
delete from "sessions" where "sessions"."id" = any(cast($1 as bigint[]));

-- view deletion: read the object
-- parameters: id, filter.createdAfter, filter.lastUsedAfter
select cast((select row_to_json(o.*) from (select ) as o) as text)
from "sessions"
where "sessions"."id" = cast($1 as bigint) and ("sessions"."created" > $2 and "sessions"."last_used" > $3);
