-- list: a page
-- parameters: base, cached_version, cached_count, limit, offset
select json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name"),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "groups") end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "groups"."id" as "page row"
  from "groups"
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list: the last page
-- parameters: base, cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name"),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "groups") end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "groups"."id" as "page row"
  from "groups"
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast(? as bigint) offset abs(
    (
      select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "groups") end
    ) - 1
  ) / cast(? as bigint) * cast(? as bigint)
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list: a slice without the count
-- parameters: base, limit, offset
select json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name")
from (
  select "groups"."id" as "page row"
  from "groups"
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list: only the count
-- parameters: cached_version, cached_count
select (
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "groups") end
),
(select (select cast(data_version as text) from pragma_data_version));

-- list: the first rows
-- parameters: base, limit
select json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name"),
"groups"."name",
"groups"."id"
from "groups"
order by "groups"."name" asc,
"groups"."id" asc
limit cast(? as bigint);

-- list: the rows after a cursor position
-- parameters: base, position0, position1, limit
select json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name"),
"groups"."name",
"groups"."id"
from "groups"
where ("groups"."name", "groups"."id") > (?, ?)
order by "groups"."name" asc,
"groups"."id" asc
limit cast(? as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: base, cached_version, cached_count, filter.term0, filter.term1, filter.term0, filter.term1, limit, offset
select json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name"),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (
    select count(*)
    from "groups"
    where (
      (lower(cast("groups"."name" as text) collate binary) like ? escape '\') and (lower(cast("groups"."name" as text) collate binary) like ? escape '\')
    )
  ) end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "groups"."id" as "page row"
  from "groups"
  where (
    (lower(cast("groups"."name" as text) collate binary) like ? escape '\') and (lower(cast("groups"."name" as text) collate binary) like ? escape '\')
  )
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: base, position0, position1, filter.term0, filter.term1, limit
select json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name"),
"groups"."name",
"groups"."id"
from "groups"
where ("groups"."name", "groups"."id") > (?, ?) and (
  (lower(cast("groups"."name" as text) collate binary) like ? escape '\') and (lower(cast("groups"."name" as text) collate binary) like ? escape '\')
)
order by "groups"."name" asc,
"groups"."id" asc
limit cast(? as bigint);

-- retrieve
-- parameters: base, id
select json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name"),
null
from "groups"
where "groups"."id" = ?;

-- create
-- parameters: name, base
insert into "groups" ("name")
values (?)
returning "groups"."id",
json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name");

-- create: read the new object
-- parameters: base, keys
select "groups"."id",
json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name"),
"groups"."id"
from "groups"
where "groups"."id" in (select value from json_each(?));

-- update: load the object
-- parameters: id
select json_object('object', json_object(), 'values', json_object())
from "groups"
where "groups"."id" = ?;

-- update
-- parameters: set name, name, id, snapshot, base
update "groups"
set "name" = case when cast(? as boolean) then ? else "groups"."name" end
where "groups"."id" = ? and json_object('object', json_object(), 'values', json_object()) = ?
returning json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name");

-- update in a transaction: lock
-- parameters: keys
select "groups"."id",
json_object('object', json_object(), 'values', json_object()),
"groups"."id"
from "groups"
where "groups"."id" in (select value from json_each(?))
order by "groups"."id";

-- update in a transaction
-- parameters: set name, name, id, base
update "groups"
set "name" = case when cast(? as boolean) then ? else "groups"."name" end
where "groups"."id" = ?
returning json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name");

-- update: read the changed object
-- parameters: base, keys
select "groups"."id",
json_object('url', cast(? as text) || '/groups/' || "groups"."id" || '/', 'name', "groups"."name"),
"groups"."id"
from "groups"
where "groups"."id" in (select value from json_each(?));

-- destroy: load the object
-- parameters: id
select json_object('object', json_object(), 'values', json_object('name', "groups"."name"))
from "groups"
where "groups"."id" = ?;

-- destroy in a transaction: lock
-- parameters: keys
select "groups"."id",
json_object('object', json_object(), 'values', json_object('name', "groups"."name")),
"groups"."id"
from "groups"
where "groups"."id" in (select value from json_each(?))
order by "groups"."id";

-- destroy in a transaction
-- parameters: keys
delete from "groups" where "groups"."id" in (select value from json_each(?));

-- check: is name taken?
-- parameters: name
select "groups"."id" from "groups" where "groups"."name" = ?;
