-- list: a page
-- parameters: base, base, cached_version, cached_count, limit, offset
select json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
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
  order by "users"."date_joined" desc,
  "users"."id" desc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."date_joined" desc,
"users"."id" desc;

-- list: the last page
-- parameters: base, base, cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
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
  order by "users"."date_joined" desc,
  "users"."id" desc
  limit cast(? as bigint) offset abs(
    (
      select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "users") end
    ) - 1
  ) / cast(? as bigint) * cast(? as bigint)
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."date_joined" desc,
"users"."id" desc;

-- list: a slice without the count
-- parameters: base, base, limit, offset
select json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."date_joined" desc,
  "users"."id" desc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."date_joined" desc,
"users"."id" desc;

-- list: only the count
-- parameters: cached_version, cached_count
select (
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "users") end
),
(select (select cast(data_version as text) from pragma_data_version));

-- list: the first rows
-- parameters: base, base, limit
select json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
),
"users"."date_joined",
"users"."id"
from "users"
order by "users"."date_joined" desc,
"users"."id" desc
limit cast(? as bigint);

-- list: the rows after a cursor position
-- parameters: base, base, position0, position1, limit
select json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
),
"users"."date_joined",
"users"."id"
from "users"
where ("users"."date_joined", "users"."id") < (?, ?)
order by "users"."date_joined" desc,
"users"."id" desc
limit cast(? as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: base, base, cached_version, cached_count, filter.term0, filter.term0, filter.term1, filter.term1, filter.term0, filter.term0, filter.term1, filter.term1, limit, offset
select json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (
    select count(*)
    from "users"
    where (
      (
        lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
      ) and (
        lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
      )
    )
  ) end
),
(select (select cast(data_version as text) from pragma_data_version))
from (
  select "users"."id" as "page row"
  from "users"
  where (
    (
      lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
    ) and (
      lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
    )
  )
  order by "users"."username" asc,
  "users"."email" asc,
  "users"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."username" asc,
"users"."email" asc,
"users"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: base, base, position0, position1, position2, filter.term0, filter.term0, filter.term1, filter.term1, limit
select json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
),
"users"."username",
"users"."email",
"users"."id"
from "users"
where ("users"."username", "users"."email", "users"."id") > (?, ?, ?) and (
  (
    lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
  ) and (
    lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
  )
)
order by "users"."username" asc,
"users"."email" asc,
"users"."id" asc
limit cast(? as bigint);

-- retrieve
-- parameters: base, base, id
select json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
),
null
from "users"
where "users"."id" = ?;

-- create
-- parameters: username, email, username_key, date_joined, base, base
insert into "users" ("username", "email", "username_key", "date_joined")
values (?, ?, ?, ?)
returning "users"."id",
json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
);

-- create: read the new object
-- parameters: base, base, keys
select "users"."id",
json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
),
"users"."id"
from "users"
where "users"."id" in (select value from json_each(?));

-- update: load the object
-- parameters: id
select json_object(
  'object',
  json_object(),
  'values',
  json_object('username', "users"."username", 'email', "users"."email")
)
from "users"
where "users"."id" = ?;

-- update
-- parameters: set username, username, set email, email, set username_key, username_key, set date_joined, date_joined, id, snapshot, base, base
update "users"
set "username" = case when cast(? as boolean) then ? else "users"."username" end,
"email" = case when cast(? as boolean) then ? else "users"."email" end,
"username_key" = case when cast(? as boolean) then ? else "users"."username_key" end,
"date_joined" = case when cast(? as boolean) then ? else "users"."date_joined" end
where "users"."id" = ? and json_object(
  'object',
  json_object(),
  'values',
  json_object('username', "users"."username", 'email', "users"."email")
) = ?
returning json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
);

-- update in a transaction: lock
-- parameters: keys
select "users"."id",
json_object(
  'object',
  json_object(),
  'values',
  json_object('username', "users"."username", 'email', "users"."email")
),
"users"."id"
from "users"
where "users"."id" in (select value from json_each(?))
order by "users"."id";

-- update in a transaction
-- parameters: set username, username, set email, email, set username_key, username_key, set date_joined, date_joined, id, base, base
update "users"
set "username" = case when cast(? as boolean) then ? else "users"."username" end,
"email" = case when cast(? as boolean) then ? else "users"."email" end,
"username_key" = case when cast(? as boolean) then ? else "users"."username_key" end,
"date_joined" = case when cast(? as boolean) then ? else "users"."date_joined" end
where "users"."id" = ?
returning json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
);

-- update: read the changed object
-- parameters: base, base, keys
select "users"."id",
json_object(
  'url',
  cast(? as text) || '/users/' || "users"."id" || '/',
  'username',
  "users"."username",
  'email',
  "users"."email",
  'groups',
  (
    select json_group_array(value)
    from (
      select cast(? as text) || '/groups/' || "related row"."group_id" || '/' as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  )
),
"users"."id"
from "users"
where "users"."id" in (select value from json_each(?));

-- destroy: load the object
-- parameters: id
select json_object(
  'object',
  json_object(),
  'values',
  json_object('username', "users"."username", 'email', "users"."email")
)
from "users"
where "users"."id" = ?;

-- destroy in a transaction: lock
-- parameters: keys
select "users"."id",
json_object(
  'object',
  json_object(),
  'values',
  json_object('username', "users"."username", 'email', "users"."email")
),
"users"."id"
from "users"
where "users"."id" in (select value from json_each(?))
order by "users"."id";

-- destroy in a transaction
-- parameters: keys
delete from "users" where "users"."id" in (select value from json_each(?));

-- write: remove the rows of groups
-- parameters: id, keys
delete
from "user_groups"
where "user_id" = ? and "user_groups"."group_id" not in (select value from (select value from json_each(?)) as given);

-- write: add the rows of groups
-- parameters: id, keys, id
insert into "user_groups" ("user_id", "group_id") select ?,
value
from (select value from (select value from json_each(?)) as given) as added
where not exists (select 1 from "user_groups" where "user_id" = ? and "user_groups"."group_id" = added.value);

-- check: do the objects of groups exist?
-- parameters: keys
select "groups"."id" from "groups" where "groups"."id" in (select value from json_each(?));

-- check: is username taken?
-- parameters: username
select "users"."id" from "users" where "users"."username" = ?;
