-- list: a page
-- parameters: cached_version, cached_count, filter.createdAfter, filter.lastUsedAfter, filter.createdAfter, filter.lastUsedAfter, limit, offset
select json_object(
  'id',
  "sessions"."id",
  'user',
  "sessions"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "sessions"."user_id"
  ),
  'created',
  case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
  'last_used',
  case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end,
  'expires',
  json_object(
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "sessions" where ("sessions"."created" > ? and "sessions"."last_used" > ?)) end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "sessions"."id" as "page row"
  from "sessions"
  where ("sessions"."created" > ? and "sessions"."last_used" > ?)
  order by "sessions"."created" desc,
  "sessions"."id" desc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "sessions"
where "sessions"."id" = "page row"
order by "sessions"."created" desc,
"sessions"."id" desc;

-- list: the last page
-- parameters: cached_version, cached_count, filter.createdAfter, filter.lastUsedAfter, filter.createdAfter, filter.lastUsedAfter, limit, cached_version, cached_count, filter.createdAfter, filter.lastUsedAfter, limit, limit
select json_object(
  'id',
  "sessions"."id",
  'user',
  "sessions"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "sessions"."user_id"
  ),
  'created',
  case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
  'last_used',
  case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end,
  'expires',
  json_object(
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "sessions" where ("sessions"."created" > ? and "sessions"."last_used" > ?)) end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "sessions"."id" as "page row"
  from "sessions"
  where ("sessions"."created" > ? and "sessions"."last_used" > ?)
  order by "sessions"."created" desc,
  "sessions"."id" desc
  limit cast(? as bigint) offset abs(
    (
      select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (
        select count(*)
        from "sessions"
        where ("sessions"."created" > ? and "sessions"."last_used" > ?)
      ) end
    ) - 1
  ) / cast(? as bigint) * cast(? as bigint)
) as "page rows"
cross join "sessions"
where "sessions"."id" = "page row"
order by "sessions"."created" desc,
"sessions"."id" desc;

-- list: a slice without the count
-- parameters: filter.createdAfter, filter.lastUsedAfter, limit, offset
select json_object(
  'id',
  "sessions"."id",
  'user',
  "sessions"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "sessions"."user_id"
  ),
  'created',
  case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
  'last_used',
  case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end,
  'expires',
  json_object(
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
)
from (
  select "sessions"."id" as "page row"
  from "sessions"
  where ("sessions"."created" > ? and "sessions"."last_used" > ?)
  order by "sessions"."created" desc,
  "sessions"."id" desc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "sessions"
where "sessions"."id" = "page row"
order by "sessions"."created" desc,
"sessions"."id" desc;

-- list: only the count
-- parameters: cached_version, cached_count, filter.createdAfter, filter.lastUsedAfter
select (
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "sessions" where ("sessions"."created" > ? and "sessions"."last_used" > ?)) end
),
(select (select cast(data_version as text) from pragma_data_version));

-- list: the first rows
-- parameters: filter.createdAfter, filter.lastUsedAfter, limit
select json_object(
  'id',
  "sessions"."id",
  'user',
  "sessions"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "sessions"."user_id"
  ),
  'created',
  case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
  'last_used',
  case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end,
  'expires',
  json_object(
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
),
"sessions"."created",
"sessions"."id"
from "sessions"
where ("sessions"."created" > ? and "sessions"."last_used" > ?)
order by "sessions"."created" desc,
"sessions"."id" desc
limit cast(? as bigint);

-- list: the rows after a cursor position
-- parameters: position0, position1, filter.createdAfter, filter.lastUsedAfter, limit
select json_object(
  'id',
  "sessions"."id",
  'user',
  "sessions"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "sessions"."user_id"
  ),
  'created',
  case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
  'last_used',
  case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end,
  'expires',
  json_object(
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
),
"sessions"."created",
"sessions"."id"
from "sessions"
where ("sessions"."created", "sessions"."id") < (?, ?) and ("sessions"."created" > ? and "sessions"."last_used" > ?)
order by "sessions"."created" desc,
"sessions"."id" desc
limit cast(? as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.0.createdAfter, filter.0.lastUsedAfter, filter.1.user value, filter.0.createdAfter, filter.0.lastUsedAfter, filter.1.user value, limit, offset
select json_object(
  'id',
  "sessions"."id",
  'user',
  "sessions"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "sessions"."user_id"
  ),
  'created',
  case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
  'last_used',
  case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end,
  'expires',
  json_object(
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (
    select count(*)
    from "sessions"
    where (
      (
        ("sessions"."created" > ? and "sessions"."last_used" > ?) and ("sessions"."user_id" = cast(? as bigint))
      )
    )
  ) end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "sessions"."id" as "page row"
  from "sessions"
  where (
    (
      ("sessions"."created" > ? and "sessions"."last_used" > ?) and ("sessions"."user_id" = cast(? as bigint))
    )
  )
  order by "sessions"."created" asc,
  "sessions"."last_used" asc,
  "sessions"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "sessions"
where "sessions"."id" = "page row"
order by "sessions"."created" asc,
"sessions"."last_used" asc,
"sessions"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: position0, position1, position2, filter.0.createdAfter, filter.0.lastUsedAfter, filter.1.user value, limit
select json_object(
  'id',
  "sessions"."id",
  'user',
  "sessions"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "sessions"."user_id"
  ),
  'created',
  case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
  'last_used',
  case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end,
  'expires',
  json_object(
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
),
"sessions"."created",
"sessions"."last_used",
"sessions"."id"
from "sessions"
where ("sessions"."created", "sessions"."last_used", "sessions"."id") > (?, ?, ?) and (
  (
    ("sessions"."created" > ? and "sessions"."last_used" > ?) and ("sessions"."user_id" = cast(? as bigint))
  )
)
order by "sessions"."created" asc,
"sessions"."last_used" asc,
"sessions"."id" asc
limit cast(? as bigint);

-- retrieve
-- parameters: id, filter.createdAfter, filter.lastUsedAfter
select json_object(
  'id',
  "sessions"."id",
  'user',
  "sessions"."user_id",
  'username',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "sessions"."user_id"
  ),
  'created',
  case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
  'last_used',
  case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end,
  'expires',
  json_object(
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
),
null
from "sessions"
where "sessions"."id" = ? and ("sessions"."created" > ? and "sessions"."last_used" > ?);

-- destroy: load the object
-- parameters: id, filter.createdAfter, filter.lastUsedAfter
select json_object(
  'object',
  json_object(),
  'values',
  json_object(
    'user',
    "sessions"."user_id",
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
)
from "sessions"
where "sessions"."id" = ? and ("sessions"."created" > ? and "sessions"."last_used" > ?);

-- destroy in a transaction: lock
-- parameters: keys, filter.createdAfter, filter.lastUsedAfter
select "sessions"."id",
json_object(
  'object',
  json_object(),
  'values',
  json_object(
    'user',
    "sessions"."user_id",
    'created',
    case when "sessions"."created" glob '????-??-??T??:??:??.??????Z' then "sessions"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."created"), "sessions"."created") end,
    'last_used',
    case when "sessions"."last_used" glob '????-??-??T??:??:??.??????Z' then "sessions"."last_used" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "sessions"."last_used"), "sessions"."last_used") end
  )
),
"sessions"."id"
from "sessions"
where "sessions"."id" in (select value from json_each(?)) and ("sessions"."created" > ? and "sessions"."last_used" > ?)
order by "sessions"."id";

-- destroy in a transaction
-- parameters: keys
delete from "sessions" where "sessions"."id" in (select value from json_each(?));

-- view deletion: read the object
-- parameters: id, filter.createdAfter, filter.lastUsedAfter
select json_object()
from "sessions"
where "sessions"."id" = ? and ("sessions"."created" > ? and "sessions"."last_used" > ?);
