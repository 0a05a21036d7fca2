-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
),
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
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
),
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
-- parameters: limit, offset
select json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
)
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
-- parameters: limit
select json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
),
"groups"."name",
"groups"."id"
from "groups"
order by "groups"."name" asc,
"groups"."id" asc
limit cast(? as bigint);

-- list: the rows after a cursor position
-- parameters: position0, position1, limit
select json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
),
"groups"."name",
"groups"."id"
from "groups"
where ("groups"."name", "groups"."id") > (?, ?)
order by "groups"."name" asc,
"groups"."id" asc
limit cast(? as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.term0, filter.term1, filter.term0, filter.term1, limit, offset
select json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
),
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
-- parameters: position0, position1, filter.term0, filter.term1, limit
select json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
),
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
-- parameters: id
select json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
),
null
from "groups"
where "groups"."id" = ?;

-- create
-- parameters: name
insert into "groups" ("name")
values (?)
returning "groups"."id",
json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
);

-- create: read the new object
-- parameters: keys
select "groups"."id",
json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
),
"groups"."id"
from "groups"
where "groups"."id" in (select value from json_each(?));

-- update: load the object
-- parameters: id
select json_object('object', json_object(), 'values', json_object('name', "groups"."name"))
from "groups"
where "groups"."id" = ?;

-- update
-- parameters: set name, name, id, snapshot
update "groups"
set "name" = case when cast(? as boolean) then ? else "groups"."name" end
where "groups"."id" = ? and json_object('object', json_object(), 'values', json_object('name', "groups"."name")) = ?
returning json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
);

-- update in a transaction: lock
-- parameters: keys
select "groups"."id",
json_object('object', json_object(), 'values', json_object('name', "groups"."name")),
"groups"."id"
from "groups"
where "groups"."id" in (select value from json_each(?))
order by "groups"."id";

-- update in a transaction
-- parameters: set name, name, id
update "groups"
set "name" = case when cast(? as boolean) then ? else "groups"."name" end
where "groups"."id" = ?
returning json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
);

-- update: read the changed object
-- parameters: keys
select "groups"."id",
json_object(
  'id',
  "groups"."id",
  'name',
  "groups"."name",
  'permissions',
  (
    select json_group_array(value)
    from (
      select "group_permissions"."permission" as value
      from "group_permissions"
      where "group_permissions"."group_id" = "groups"."id" and "group_permissions"."permission" in (
        'users.add',
        'users.change',
        'users.delete',
        'users.view',
        'groups.add',
        'groups.change',
        'groups.delete',
        'groups.view',
        'snippets.add',
        'snippets.change',
        'snippets.delete',
        'snippets.view'
      )
      order by "group_permissions"."permission"
    )
  )
),
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

-- write: remove the rows of permissions
-- parameters: id, keys
delete
from "group_permissions"
where "group_id" = ? and "group_permissions"."permission" not in (select value from (select value from json_each(?)) as given) and "group_permissions"."permission" in (
  'users.add',
  'users.change',
  'users.delete',
  'users.view',
  'groups.add',
  'groups.change',
  'groups.delete',
  'groups.view',
  'snippets.add',
  'snippets.change',
  'snippets.delete',
  'snippets.view'
);

-- write: add the rows of permissions
-- parameters: id, keys, id
insert into "group_permissions" ("group_id", "permission") select ?,
value
from (select value from (select value from json_each(?)) as given) as added
where not exists (
  select 1
  from "group_permissions"
  where "group_id" = ? and "group_permissions"."permission" = added.value
);

-- check: is name taken?
-- parameters: name
select "groups"."id" from "groups" where "groups"."name" = ?;

-- view deletion: read the object
-- parameters: id
select json_object() from "groups" where "groups"."id" = ?;
