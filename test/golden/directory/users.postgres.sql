-- list: a page
-- parameters: base, base, cached_version, cached_count, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $3 then cast($4 as bigint) else (select count(*) from "users") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."date_joined" desc,
  "users"."id" desc
  limit cast($5 as bigint) offset $6
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."date_joined" desc,
"users"."id" desc;

-- list: the last page
-- parameters: base, base, cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $3 then cast($4 as bigint) else (select count(*) from "users") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."date_joined" desc,
  "users"."id" desc
  limit cast($5 as bigint) offset abs(
    (
      select case when (
        select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
      ) = $6 then cast($7 as bigint) else (select count(*) from "users") end
    ) - 1
  ) / cast($8 as bigint) * cast($9 as bigint)
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."date_joined" desc,
"users"."id" desc;

-- list: a slice without the count
-- parameters: base, base, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."date_joined" desc,
  "users"."id" desc
  limit cast($3 as bigint) offset $4
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."date_joined" desc,
"users"."id" desc;

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
-- parameters: base, base, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
),
cast("users"."date_joined" as text),
cast("users"."id" as text)
from "users"
order by "users"."date_joined" desc,
"users"."id" desc
limit cast($3 as bigint);

-- list: the rows after a cursor position
-- parameters: base, base, position0, position1, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
),
cast("users"."date_joined" as text),
cast("users"."id" as text)
from "users"
where ("users"."date_joined", "users"."id") < ($3, $4)
order by "users"."date_joined" desc,
"users"."id" desc
limit cast($5 as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: base, base, cached_version, cached_count, filter.term0, filter.term0, filter.term1, filter.term1, filter.term0, filter.term0, filter.term1, filter.term1, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $3 then cast($4 as bigint) else (
    select count(*)
    from "users"
    where (
      (
        lower(cast("users"."username" as text) collate "C") like $5 escape '\' or lower(cast("users"."email" as text) collate "C") like $6 escape '\'
      ) and (
        lower(cast("users"."username" as text) collate "C") like $7 escape '\' or lower(cast("users"."email" as text) collate "C") like $8 escape '\'
      )
    )
  ) end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "users"."id" as "page row"
  from "users"
  where (
    (
      lower(cast("users"."username" as text) collate "C") like $9 escape '\' or lower(cast("users"."email" as text) collate "C") like $10 escape '\'
    ) and (
      lower(cast("users"."username" as text) collate "C") like $11 escape '\' or lower(cast("users"."email" as text) collate "C") like $12 escape '\'
    )
  )
  order by "users"."username" asc,
  "users"."email" asc,
  "users"."id" asc
  limit cast($13 as bigint) offset $14
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."username" asc,
"users"."email" asc,
"users"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: base, base, position0, position1, position2, filter.term0, filter.term0, filter.term1, filter.term1, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
),
cast("users"."username" as text),
cast("users"."email" as text),
cast("users"."id" as text)
from "users"
where ("users"."username", "users"."email", "users"."id") > ($3, $4, $5) and (
  (
    lower(cast("users"."username" as text) collate "C") like $6 escape '\' or lower(cast("users"."email" as text) collate "C") like $7 escape '\'
  ) and (
    lower(cast("users"."username" as text) collate "C") like $8 escape '\' or lower(cast("users"."email" as text) collate "C") like $9 escape '\'
  )
)
order by "users"."username" asc,
"users"."email" asc,
"users"."id" asc
limit cast($10 as bigint);

-- retrieve
-- parameters: base, base, id
select cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
),
null
from "users"
where "users"."id" = cast($3 as bigint);

-- create
-- parameters: username, email, username_key, date_joined, base, base
insert into "users" ("username", "email", "username_key", "date_joined")
values ($1, $2, $3, $4)
returning "users"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select cast($5 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($6 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
);

-- create: read the new object
-- parameters: base, base, keys
select "users"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
),
"users"."id"
from "users"
where "users"."id" = any(cast($3 as bigint[]));

-- update: load the object
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (select "users"."username" as "username", "users"."email" as "email") as o
      ) as "values"
    ) as o
  ) as text
)
from "users"
where "users"."id" = cast($1 as bigint);

-- update
-- parameters: set username, username, set email, email, set username_key, username_key, set date_joined, date_joined, id, snapshot, base, base
update "users"
set "username" = case when cast($1 as boolean) then $2 else "users"."username" end,
"email" = case when cast($3 as boolean) then $4 else "users"."email" end,
"username_key" = case when cast($5 as boolean) then $6 else "users"."username_key" end,
"date_joined" = case when cast($7 as boolean) then $8 else "users"."date_joined" end
where "users"."id" = cast($9 as bigint) and cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (select "users"."username" as "username", "users"."email" as "email") as o
      ) as "values"
    ) as o
  ) as text
) = $10
returning cast(
  (
    select row_to_json(o.*)
    from (
      select cast($11 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($12 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
);

-- update in a transaction: lock
-- parameters: keys
select "users"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (select "users"."username" as "username", "users"."email" as "email") as o
      ) as "values"
    ) as o
  ) as text
),
"users"."id"
from "users"
where "users"."id" = any(cast($1 as bigint[]))
order by "users"."id" for update;

-- update in a transaction
-- parameters: set username, username, set email, email, set username_key, username_key, set date_joined, date_joined, id, base, base
update "users"
set "username" = case when cast($1 as boolean) then $2 else "users"."username" end,
"email" = case when cast($3 as boolean) then $4 else "users"."email" end,
"username_key" = case when cast($5 as boolean) then $6 else "users"."username_key" end,
"date_joined" = case when cast($7 as boolean) then $8 else "users"."date_joined" end
where "users"."id" = cast($9 as bigint)
returning cast(
  (
    select row_to_json(o.*)
    from (
      select cast($10 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($11 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
);

-- update: read the changed object
-- parameters: base, base, keys
select "users"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select cast($1 as text) || '/users/' || "users"."id" || '/' as "url",
      "users"."username" as "username",
      "users"."email" as "email",
      array_to_json(
        array(
          select cast($2 as text) || '/groups/' || "related row"."group_id" || '/' as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups"
    ) as o
  ) as text
),
"users"."id"
from "users"
where "users"."id" = any(cast($3 as bigint[]));

-- destroy: load the object
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (select "users"."username" as "username", "users"."email" as "email") as o
      ) as "values"
    ) as o
  ) as text
)
from "users"
where "users"."id" = cast($1 as bigint);

-- destroy in a transaction: lock
-- parameters: keys
select "users"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (select "users"."username" as "username", "users"."email" as "email") as o
      ) as "values"
    ) as o
  ) as text
),
"users"."id"
from "users"
where "users"."id" = any(cast($1 as bigint[]))
order by "users"."id" for update;

-- destroy in a transaction
-- parameters: keys
delete from "users" where "users"."id" = any(cast($1 as bigint[]));

-- write: remove the rows of groups
-- parameters: id, keys
delete
from "user_groups"
where "user_id" = $1 and "user_groups"."group_id" not in (
  select value
  from (select cast(value as bigint) as value from json_array_elements_text(cast($2 as json))) as given
);

-- write: add the rows of groups
-- parameters: id, keys, id
insert into "user_groups" ("user_id", "group_id") select $1,
value
from (
  select value
  from (select cast(value as bigint) as value from json_array_elements_text(cast($2 as json))) as given
) as added
where not exists (select 1 from "user_groups" where "user_id" = $3 and "user_groups"."group_id" = added.value);

-- check: do the objects of groups exist?
-- parameters: keys
select "groups"."id" from "groups" where "groups"."id" = any(cast($1 as bigint[]));

-- check: is username taken?
-- parameters: username
select "users"."id" from "users" where "users"."username" = $1;
