-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'snippets',
  (
    select json_group_array(value)
    from (
      select "related row"."id" as value
      from "snippets" as "related row"
      where "related row"."owner_id" = "users"."id"
      order by "related row"."id"
    )
  )
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "users") end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."id" asc;

-- list: the last page
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'snippets',
  (
    select json_group_array(value)
    from (
      select "related row"."id" as value
      from "snippets" as "related row"
      where "related row"."owner_id" = "users"."id"
      order by "related row"."id"
    )
  )
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "users") end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."id" asc
  limit cast(? as bigint) offset abs(
    (
      select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "users") end
    ) - 1
  ) / cast(? as bigint) * cast(? as bigint)
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."id" asc;

-- list: a slice without the count
-- parameters: limit, offset
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'snippets',
  (
    select json_group_array(value)
    from (
      select "related row"."id" as value
      from "snippets" as "related row"
      where "related row"."owner_id" = "users"."id"
      order by "related row"."id"
    )
  )
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."id" asc;

-- list: only the count
-- parameters: cached_version, cached_count
select (
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "users") end
),
(select (select cast(data_version as text) from pragma_data_version));

-- list: the first rows
-- parameters: limit
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'snippets',
  (
    select json_group_array(value)
    from (
      select "related row"."id" as value
      from "snippets" as "related row"
      where "related row"."owner_id" = "users"."id"
      order by "related row"."id"
    )
  )
),
"users"."id"
from "users"
order by "users"."id" asc
limit cast(? as bigint);

-- list: the rows after a cursor position
-- parameters: position0, limit
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'snippets',
  (
    select json_group_array(value)
    from (
      select "related row"."id" as value
      from "snippets" as "related row"
      where "related row"."owner_id" = "users"."id"
      order by "related row"."id"
    )
  )
),
"users"."id"
from "users"
where ("users"."id") > (?)
order by "users"."id" asc
limit cast(? as bigint);

-- retrieve
-- parameters: id
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'snippets',
  (
    select json_group_array(value)
    from (
      select "related row"."id" as value
      from "snippets" as "related row"
      where "related row"."owner_id" = "users"."id"
      order by "related row"."id"
    )
  )
),
null
from "users"
where "users"."id" = ?;
