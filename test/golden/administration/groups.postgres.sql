-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "groups") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "groups"."id" as "page row"
  from "groups"
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast($3 as bigint) offset $4
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list: the last page
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "groups") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "groups"."id" as "page row"
  from "groups"
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast($3 as bigint) offset abs(
    (
      select case when (
        select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
      ) = $4 then cast($5 as bigint) else (select count(*) from "groups") end
    ) - 1
  ) / cast($6 as bigint) * cast($7 as bigint)
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list: a slice without the count
-- parameters: limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
)
from (
  select "groups"."id" as "page row"
  from "groups"
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast($1 as bigint) offset $2
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
-- parameters: limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
),
cast("groups"."name" as text),
cast("groups"."id" as text)
from "groups"
order by "groups"."name" asc,
"groups"."id" asc
limit cast($1 as bigint);

-- list: the rows after a cursor position
-- parameters: position0, position1, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
),
cast("groups"."name" as text),
cast("groups"."id" as text)
from "groups"
where ("groups"."name", "groups"."id") > ($1, $2)
order by "groups"."name" asc,
"groups"."id" asc
limit cast($3 as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.term0, filter.term1, filter.term0, filter.term1, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (
    select count(*)
    from "groups"
    where (
      (lower(cast("groups"."name" as text) collate "C") like $3 escape '\') and (lower(cast("groups"."name" as text) collate "C") like $4 escape '\')
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
    (lower(cast("groups"."name" as text) collate "C") like $5 escape '\') and (lower(cast("groups"."name" as text) collate "C") like $6 escape '\')
  )
  order by "groups"."name" asc,
  "groups"."id" asc
  limit cast($7 as bigint) offset $8
) as "page rows"
cross join "groups"
where "groups"."id" = "page row"
order by "groups"."name" asc,
"groups"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: position0, position1, filter.term0, filter.term1, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
),
cast("groups"."name" as text),
cast("groups"."id" as text)
from "groups"
where ("groups"."name", "groups"."id") > ($1, $2) and (
  (lower(cast("groups"."name" as text) collate "C") like $3 escape '\') and (lower(cast("groups"."name" as text) collate "C") like $4 escape '\')
)
order by "groups"."name" asc,
"groups"."id" asc
limit cast($5 as bigint);

-- retrieve
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
),
null
from "groups"
where "groups"."id" = cast($1 as bigint);

-- create
-- parameters: name
insert into "groups" ("name")
values ($1)
returning "groups"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
);

-- create: read the new object
-- parameters: keys
select "groups"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
),
"groups"."id"
from "groups"
where "groups"."id" = any(cast($1 as bigint[]));

-- update: load the object
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

-- update
-- parameters: set name, name, id, snapshot
update "groups"
set "name" = case when cast($1 as boolean) then $2 else "groups"."name" end
where "groups"."id" = cast($3 as bigint) and cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (select row_to_json(o.*) from (select "groups"."name" as "name") as o) as "values"
    ) as o
  ) as text
) = $4
returning cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
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
      (select row_to_json(o.*) from (select "groups"."name" as "name") as o) as "values"
    ) as o
  ) as text
),
"groups"."id"
from "groups"
where "groups"."id" = any(cast($1 as bigint[]))
order by "groups"."id" for update;

-- update in a transaction
-- parameters: set name, name, id
update "groups"
set "name" = case when cast($1 as boolean) then $2 else "groups"."name" end
where "groups"."id" = cast($3 as bigint)
returning cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
);

-- update: read the changed object
-- parameters: keys
select "groups"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select "groups"."id" as "id",
      "groups"."name" as "name",
      array_to_json(
        array(
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
      ) as "permissions"
    ) as o
  ) as text
),
"groups"."id"
from "groups"
where "groups"."id" = any(cast($1 as bigint[]));

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

-- write: remove the rows of permissions
-- parameters: id, keys
delete
from "group_permissions"
where "group_id" = $1 and "group_permissions"."permission" not in (select value from (select value from json_array_elements_text(cast($2 as json))) as given) and "group_permissions"."permission" in (
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
insert into "group_permissions" ("group_id", "permission") select $1,
value
from (select value from (select value from json_array_elements_text(cast($2 as json))) as given) as added
where not exists (
  select 1
  from "group_permissions"
  where "group_id" = $3 and "group_permissions"."permission" = added.value
);

-- check: is name taken?
-- parameters: name
select "groups"."id" from "groups" where "groups"."name" = $1;

-- view deletion: read the object
-- parameters: id
select cast((select row_to_json(o.*) from (select ) as o) as text)
from "groups"
where "groups"."id" = cast($1 as bigint);
