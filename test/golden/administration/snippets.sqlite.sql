-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "snippets") end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "snippets"."id" as "page row"
  from "snippets"
  order by "snippets"."created" desc,
  "snippets"."id" desc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "snippets"
where "snippets"."id" = "page row"
order by "snippets"."created" desc,
"snippets"."id" desc;

-- list: the last page
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "snippets") end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "snippets"."id" as "page row"
  from "snippets"
  order by "snippets"."created" desc,
  "snippets"."id" desc
  limit cast(? as bigint) offset abs(
    (
      select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "snippets") end
    ) - 1
  ) / cast(? as bigint) * cast(? as bigint)
) as "page rows"
cross join "snippets"
where "snippets"."id" = "page row"
order by "snippets"."created" desc,
"snippets"."id" desc;

-- list: a slice without the count
-- parameters: limit, offset
select json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
)
from (
  select "snippets"."id" as "page row"
  from "snippets"
  order by "snippets"."created" desc,
  "snippets"."id" desc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "snippets"
where "snippets"."id" = "page row"
order by "snippets"."created" desc,
"snippets"."id" desc;

-- list: only the count
-- parameters: cached_version, cached_count
select (
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "snippets") end
),
(select (select cast(data_version as text) from pragma_data_version));

-- list: the first rows
-- parameters: limit
select json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
),
"snippets"."created",
"snippets"."id"
from "snippets"
order by "snippets"."created" desc,
"snippets"."id" desc
limit cast(? as bigint);

-- list: the rows after a cursor position
-- parameters: position0, position1, limit
select json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
),
"snippets"."created",
"snippets"."id"
from "snippets"
where ("snippets"."created", "snippets"."id") < (?, ?)
order by "snippets"."created" desc,
"snippets"."id" desc
limit cast(? as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.0.term0, filter.0.term1, filter.1.owner value, filter.1.language value, filter.1.linenos value, filter.0.term0, filter.0.term1, filter.1.owner value, filter.1.language value, filter.1.linenos value, limit, offset
select json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (
    select count(*)
    from "snippets"
    where (
      (
        (
          (lower(cast("snippets"."title" as text) collate binary) like ? escape '\') and (lower(cast("snippets"."title" as text) collate binary) like ? escape '\')
        ) and (
          (
            select "referred row"."username"
            from "users" as "referred row"
            where "referred row"."id" = "snippets"."owner_id"
          ) = ? and "snippets"."language" = ? and "snippets"."linenos" = ?
        )
      )
    )
  ) end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "snippets"."id" as "page row"
  from "snippets"
  where (
    (
      (
        (lower(cast("snippets"."title" as text) collate binary) like ? escape '\') and (lower(cast("snippets"."title" as text) collate binary) like ? escape '\')
      ) and (
        (
          select "referred row"."username"
          from "users" as "referred row"
          where "referred row"."id" = "snippets"."owner_id"
        ) = ? and "snippets"."language" = ? and "snippets"."linenos" = ?
      )
    )
  )
  order by "snippets"."created" asc,
  "snippets"."title" asc,
  "snippets"."language" asc,
  "snippets"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "snippets"
where "snippets"."id" = "page row"
order by "snippets"."created" asc,
"snippets"."title" asc,
"snippets"."language" asc,
"snippets"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: position0, position1, position2, position3, filter.0.term0, filter.0.term1, filter.1.owner value, filter.1.language value, filter.1.linenos value, limit
select json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
),
"snippets"."created",
"snippets"."title",
"snippets"."language",
"snippets"."id"
from "snippets"
where ("snippets"."created", "snippets"."title", "snippets"."language", "snippets"."id") > (?, ?, ?, ?) and (
  (
    (
      (lower(cast("snippets"."title" as text) collate binary) like ? escape '\') and (lower(cast("snippets"."title" as text) collate binary) like ? escape '\')
    ) and (
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) = ? and "snippets"."language" = ? and "snippets"."linenos" = ?
    )
  )
)
order by "snippets"."created" asc,
"snippets"."title" asc,
"snippets"."language" asc,
"snippets"."id" asc
limit cast(? as bigint);

-- retrieve
-- parameters: id
select json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
),
null
from "snippets"
where "snippets"."id" = ?;

-- update: load the object
-- parameters: id
select json_object(
  'object',
  json_object(),
  'values',
  json_object(
    'title',
    "snippets"."title",
    'code',
    "snippets"."code",
    'linenos',
    case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
    'language',
    "snippets"."language",
    'style',
    "snippets"."style"
  )
)
from "snippets"
where "snippets"."id" = ?;

-- update
-- parameters: set title, title, set code, code, set linenos, linenos, set language, language, set style, style, set highlighted, highlighted, set owner_id, owner_id, set created, created, id, snapshot
update "snippets"
set "title" = case when cast(? as boolean) then ? else "snippets"."title" end,
"code" = case when cast(? as boolean) then ? else "snippets"."code" end,
"linenos" = case when cast(? as boolean) then ? else "snippets"."linenos" end,
"language" = case when cast(? as boolean) then ? else "snippets"."language" end,
"style" = case when cast(? as boolean) then ? else "snippets"."style" end,
"highlighted" = case when cast(? as boolean) then ? else "snippets"."highlighted" end,
"owner_id" = case when cast(? as boolean) then ? else "snippets"."owner_id" end,
"created" = case when cast(? as boolean) then ? else "snippets"."created" end
where "snippets"."id" = ? and json_object(
  'object',
  json_object(),
  'values',
  json_object(
    'title',
    "snippets"."title",
    'code',
    "snippets"."code",
    'linenos',
    case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
    'language',
    "snippets"."language",
    'style',
    "snippets"."style"
  )
) = ?
returning json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
);

-- update in a transaction: lock
-- parameters: keys
select "snippets"."id",
json_object(
  'object',
  json_object(),
  'values',
  json_object(
    'title',
    "snippets"."title",
    'code',
    "snippets"."code",
    'linenos',
    case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
    'language',
    "snippets"."language",
    'style',
    "snippets"."style"
  )
),
"snippets"."id"
from "snippets"
where "snippets"."id" in (select value from json_each(?))
order by "snippets"."id";

-- update in a transaction
-- parameters: set title, title, set code, code, set linenos, linenos, set language, language, set style, style, set highlighted, highlighted, set owner_id, owner_id, set created, created, id
update "snippets"
set "title" = case when cast(? as boolean) then ? else "snippets"."title" end,
"code" = case when cast(? as boolean) then ? else "snippets"."code" end,
"linenos" = case when cast(? as boolean) then ? else "snippets"."linenos" end,
"language" = case when cast(? as boolean) then ? else "snippets"."language" end,
"style" = case when cast(? as boolean) then ? else "snippets"."style" end,
"highlighted" = case when cast(? as boolean) then ? else "snippets"."highlighted" end,
"owner_id" = case when cast(? as boolean) then ? else "snippets"."owner_id" end,
"created" = case when cast(? as boolean) then ? else "snippets"."created" end
where "snippets"."id" = ?
returning json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
);

-- update: read the changed object
-- parameters: keys
select "snippets"."id",
json_object(
  'id',
  "snippets"."id",
  'owner',
  (
    select "referred row"."username"
    from "users" as "referred row"
    where "referred row"."id" = "snippets"."owner_id"
  ),
  'title',
  "snippets"."title",
  'code',
  "snippets"."code",
  'linenos',
  case "snippets"."linenos" when 1 then json('true') when 0 then json('false') end,
  'language',
  "snippets"."language",
  'style',
  "snippets"."style",
  'created',
  case when "snippets"."created" glob '????-??-??T??:??:??.??????Z' then "snippets"."created" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "snippets"."created"), "snippets"."created") end
),
"snippets"."id"
from "snippets"
where "snippets"."id" in (select value from json_each(?));

-- destroy: load the object
-- parameters: id
select json_object('object', json_object(), 'values', json_object())
from "snippets"
where "snippets"."id" = ?;

-- destroy
-- parameters: id, snapshot
delete
from "snippets"
where "snippets"."id" = ? and json_object('object', json_object(), 'values', json_object()) = ?
returning "snippets"."id";

-- view highlight: read the object
-- parameters: id
select json_object('highlighted', "snippets"."highlighted")
from "snippets"
where "snippets"."id" = ?;

-- view deletion: read the object
-- parameters: id
select json_object() from "snippets" where "snippets"."id" = ?;
