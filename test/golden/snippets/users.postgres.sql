-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      array_to_json(
        array(
          select "related row"."id" as value
          from "snippets" as "related row"
          where "related row"."owner_id" = "users"."id"
          order by "related row"."id"
        )
      ) as "snippets"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "users") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."id" asc
  limit cast($3 as bigint) offset $4
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."id" asc;

-- list: the last page
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      array_to_json(
        array(
          select "related row"."id" as value
          from "snippets" as "related row"
          where "related row"."owner_id" = "users"."id"
          order by "related row"."id"
        )
      ) as "snippets"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "users") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."id" asc
  limit cast($3 as bigint) offset abs(
    (
      select case when (
        select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
      ) = $4 then cast($5 as bigint) else (select count(*) from "users") end
    ) - 1
  ) / cast($6 as bigint) * cast($7 as bigint)
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."id" asc;

-- list: a slice without the count
-- parameters: limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      array_to_json(
        array(
          select "related row"."id" as value
          from "snippets" as "related row"
          where "related row"."owner_id" = "users"."id"
          order by "related row"."id"
        )
      ) as "snippets"
    ) as o
  ) as text
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."id" asc
  limit cast($1 as bigint) offset $2
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."id" asc;

-- list: only the count
-- parameters: cached_version, cached_count
select (
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "users") end
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
      select "users"."id" as "id",
      "users"."username" as "username",
      array_to_json(
        array(
          select "related row"."id" as value
          from "snippets" as "related row"
          where "related row"."owner_id" = "users"."id"
          order by "related row"."id"
        )
      ) as "snippets"
    ) as o
  ) as text
),
cast("users"."id" as text)
from "users"
order by "users"."id" asc
limit cast($1 as bigint);

-- list: the rows after a cursor position
-- parameters: position0, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      array_to_json(
        array(
          select "related row"."id" as value
          from "snippets" as "related row"
          where "related row"."owner_id" = "users"."id"
          order by "related row"."id"
        )
      ) as "snippets"
    ) as o
  ) as text
),
cast("users"."id" as text)
from "users"
where ("users"."id") > ($1)
order by "users"."id" asc
limit cast($2 as bigint);

-- retrieve
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      array_to_json(
        array(
          select "related row"."id" as value
          from "snippets" as "related row"
          where "related row"."owner_id" = "users"."id"
          order by "related row"."id"
        )
      ) as "snippets"
    ) as o
  ) as text
),
null
from "users"
where "users"."id" = cast($1 as bigint);
