-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select json_object(
  'id',
  "tokens"."user_id",
  'user',
  "tokens"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "tokens"."user_id"
  ),
  'created',
  case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "tokens") end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "tokens"."user_id" as "page row"
  from "tokens"
  order by "tokens"."user_id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "tokens"
where "tokens"."user_id" = "page row"
order by "tokens"."user_id" asc;

-- list: the last page
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select json_object(
  'id',
  "tokens"."user_id",
  'user',
  "tokens"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "tokens"."user_id"
  ),
  'created',
  case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "tokens") end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "tokens"."user_id" as "page row"
  from "tokens"
  order by "tokens"."user_id" asc
  limit cast(? as bigint) offset abs(
    (
      select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "tokens") end
    ) - 1
  ) / cast(? as bigint) * cast(? as bigint)
) as "page rows"
cross join "tokens"
where "tokens"."user_id" = "page row"
order by "tokens"."user_id" asc;

-- list: a slice without the count
-- parameters: limit, offset
select json_object(
  'id',
  "tokens"."user_id",
  'user',
  "tokens"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "tokens"."user_id"
  ),
  'created',
  case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
)
from (
  select "tokens"."user_id" as "page row"
  from "tokens"
  order by "tokens"."user_id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "tokens"
where "tokens"."user_id" = "page row"
order by "tokens"."user_id" asc;

-- list: only the count
-- parameters: cached_version, cached_count
select (
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "tokens") end
),
(select (select cast(data_version as text) from pragma_data_version));

-- list: the first rows
-- parameters: limit
select json_object(
  'id',
  "tokens"."user_id",
  'user',
  "tokens"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "tokens"."user_id"
  ),
  'created',
  case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
),
"tokens"."user_id"
from "tokens"
order by "tokens"."user_id" asc
limit cast(? as bigint);

-- list: the rows after a cursor position
-- parameters: position0, limit
select json_object(
  'id',
  "tokens"."user_id",
  'user',
  "tokens"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "tokens"."user_id"
  ),
  'created',
  case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
),
"tokens"."user_id"
from "tokens"
where ("tokens"."user_id") > (?)
order by "tokens"."user_id" asc
limit cast(? as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.user value, filter.user value, limit, offset
select json_object(
  'id',
  "tokens"."user_id",
  'user',
  "tokens"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "tokens"."user_id"
  ),
  'created',
  case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "tokens" where ("tokens"."user_id" = cast(? as bigint))) end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "tokens"."user_id" as "page row"
  from "tokens"
  where ("tokens"."user_id" = cast(? as bigint))
  order by "tokens"."created" asc,
  "tokens"."user_id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "tokens"
where "tokens"."user_id" = "page row"
order by "tokens"."created" asc,
"tokens"."user_id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: position0, position1, filter.user value, limit
select json_object(
  'id',
  "tokens"."user_id",
  'user',
  "tokens"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "tokens"."user_id"
  ),
  'created',
  case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
),
"tokens"."created",
"tokens"."user_id"
from "tokens"
where ("tokens"."created", "tokens"."user_id") > (?, ?) and ("tokens"."user_id" = cast(? as bigint))
order by "tokens"."created" asc,
"tokens"."user_id" asc
limit cast(? as bigint);

-- retrieve
-- parameters: id
select json_object(
  'id',
  "tokens"."user_id",
  'user',
  "tokens"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "tokens"."user_id"
  ),
  'created',
  case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
),
null
from "tokens"
where "tokens"."user_id" = ?;

-- destroy: load the object
-- parameters: id
select json_object(
  'object',
  json_object(),
  'values',
  json_object(
    'user',
    "tokens"."user_id",
    'created',
    case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
  )
)
from "tokens"
where "tokens"."user_id" = ?;

-- destroy in a transaction: lock
-- parameters: keys
select "tokens"."user_id",
json_object(
  'object',
  json_object(),
  'values',
  json_object(
    'user',
    "tokens"."user_id",
    'created',
    case when "tokens"."created" glob '????-??-??T??:??:??.??????Z' then "tokens"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "tokens"."created"), "tokens"."created") end
  )
),
"tokens"."user_id"
from "tokens"
where "tokens"."user_id" in (select value from json_each(?))
order by "tokens"."user_id";

-- destroy in a transaction
-- parameters: keys
delete from "tokens" where "tokens"."user_id" in (select value from json_each(?));

-- view regenerate: read the object
-- parameters: id
select json_object('user_id', "tokens"."user_id") from "tokens" where "tokens"."user_id" = ?;

-- view deletion: read the object
-- parameters: id
select json_object() from "tokens" where "tokens"."user_id" = ?;
