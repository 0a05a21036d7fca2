-- list: a page
-- parameters: base, cached_version, cached_count, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $2 then cast($3 as bigint) else (select count(*) from "groups") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "groups"."id" as "page row"
  from "groups"
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast($4 as bigint) offset $5
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list: the last page
-- parameters: base, cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $2 then cast($3 as bigint) else (select count(*) from "groups") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "groups"."id" as "page row"
  from "groups"
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast($4 as bigint) offset abs(
    (
      select case when (
        select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
      ) = $5 then cast($6 as bigint) else (select count(*) from "groups") end
    ) - 1
  ) / cast($7 as bigint) * cast($8 as bigint)
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list: a slice without the count
-- parameters: base, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
)
from (
  select "groups"."id" as "page row"
  from "groups"
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast($2 as bigint) offset $3
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list: only the count
-- parameters: cached_version, cached_count
select (
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "groups") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
);

-- list: the first rows
-- parameters: base, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
),
cast("groups"."name" as text),
cast("groups"."id" as text)
from "groups"
order by "groups"."name" asc,
"groups"."id" asc
limit cast($2 as bigint);

-- list: the rows after a cursor position
-- parameters: base, position0, position1, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
),
cast("groups"."name" as text),
cast("groups"."id" as text)
from "groups"
where ("groups"."name", "groups"."id") > ($2, $3)
order by "groups"."name" asc,
"groups"."id" asc
limit cast($4 as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: base, cached_version, cached_count, filter.term0, filter.term1, filter.term0, filter.term1, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $2 then cast($3 as bigint) else (
    select count(*)
    from "groups"
    where (
      (lower(cast("groups"."name" as text) collate "C") like $4 escape '\') and (lower(cast("groups"."name" as text) collate "C") like $5 escape '\')
    )
  ) end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "groups"."id" as "page row"
  from "groups"
  where (
    (lower(cast("groups"."name" as text) collate "C") like $6 escape '\') and (lower(cast("groups"."name" as text) collate "C") like $7 escape '\')
  )
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast($8 as bigint) offset $9
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: base, position0, position1, filter.term0, filter.term1, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
),
cast("groups"."name" as text),
cast("groups"."id" as text)
from "groups"
where ("groups"."name", "groups"."id") > ($2, $3) and (
  (lower(cast("groups"."name" as text) collate "C") like $4 escape '\') and (lower(cast("groups"."name" as text) collate "C") like $5 escape '\')
)
order by "groups"."name" asc,
"groups"."id" asc
limit cast($6 as bigint);

-- retrieve
-- parameters: base, id
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
),
null
from "groups"
where "groups"."id" = cast($2 as bigint);

-- create
-- parameters: name, base
insert into "groups" ("name")
values ($1)
returning "groups"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select cast($2 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
);

-- create: read the new object
-- parameters: base, keys
select "groups"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
),
"groups"."id"
from "groups"
where "groups"."id" = any(cast($2 as bigint[]));

-- update: load the object
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (select row_to_json(o.*) from (select ) as o) as "values"
    ) as o
  ) as text
)
from "groups"
where "groups"."id" = cast($1 as bigint);

-- update
-- parameters: set name, name, id, snapshot, base
update "groups"
set "name" = case when cast($1 as boolean) then $2 else "groups"."name" end
where "groups"."id" = cast($3 as bigint) and cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (select row_to_json(o.*) from (select ) as o) as "values"
    ) as o
  ) as text
) = $4
returning cast(
  (
    select row_to_json(o.*)
    from (
      select cast($5 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
);

-- update in a transaction: lock
-- parameters: keys
select "groups"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (select row_to_json(o.*) from (select ) as o) as "values"
    ) as o
  ) as text
),
"groups"."id"
from "groups"
where "groups"."id" = any(cast($1 as bigint[]))
order by "groups"."id" for update;

-- update in a transaction
-- parameters: set name, name, id, base
update "groups"
set "name" = case when cast($1 as boolean) then $2 else "groups"."name" end
where "groups"."id" = cast($3 as bigint)
returning cast(
  (
    select row_to_json(o.*)
    from (
      select cast($4 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
);

-- update: read the changed object
-- parameters: base, keys
select "groups"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/groups/' || "groups"."id" || '/' as "url",
      "groups"."name" as "name"
    ) as o
  ) as text
),
"groups"."id"
from "groups"
where "groups"."id" = any(cast($2 as bigint[]));

-- destroy: load the object
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (select row_to_json(o.*) from (select "groups"."name" as "name") as o) as "values"
    ) as o
  ) as text
)
from "groups"
where "groups"."id" = cast($1 as bigint);

-- destroy in a transaction: lock
-- parameters: keys
select "groups"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (select row_to_json(o.*) from (select "groups"."name" as "name") as o) as "values"
    ) as o
  ) as text
),
"groups"."id"
from "groups"
where "groups"."id" = any(cast($1 as bigint[]))
order by "groups"."id" for update;

-- destroy in a transaction
-- parameters: keys
delete from "groups" where "groups"."id" = any(cast($1 as bigint[]));

-- check: is name taken?
-- parameters: name
select "groups"."id" from "groups" where "groups"."name" = $1;
