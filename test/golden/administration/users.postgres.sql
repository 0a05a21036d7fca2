-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
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
  order by "users"."username" asc,
  "users"."id" asc
  limit cast($3 as bigint) offset $4
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."username" asc,
"users"."id" asc;

-- list: the last page
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
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
  order by "users"."username" asc,
  "users"."id" asc
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
order by "users"."username" asc,
"users"."id" asc;

-- list: a slice without the count
-- parameters: limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."username" asc,
  "users"."id" asc
  limit cast($1 as bigint) offset $2
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."username" asc,
"users"."id" asc;

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
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
),
cast("users"."username" as text),
cast("users"."id" as text)
from "users"
order by "users"."username" asc,
"users"."id" asc
limit cast($1 as bigint);

-- list: the rows after a cursor position
-- parameters: position0, position1, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
),
cast("users"."username" as text),
cast("users"."id" as text)
from "users"
where ("users"."username", "users"."id") > ($1, $2)
order by "users"."username" asc,
"users"."id" asc
limit cast($3 as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.0.term0, filter.0.term0, filter.0.term1, filter.0.term1, filter.1.groups value, filter.1.is_active value, filter.1.is_staff value, filter.1.is_superuser value, filter.0.term0, filter.0.term0, filter.0.term1, filter.0.term1, filter.1.groups value, filter.1.is_active value, filter.1.is_staff value, filter.1.is_superuser value, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (
    select count(*)
    from "users"
    where (
      (
        (
          (
            lower(cast("users"."username" as text) collate "C") like $3 escape '\' or lower(cast("users"."email" as text) collate "C") like $4 escape '\'
          ) and (
            lower(cast("users"."username" as text) collate "C") like $5 escape '\' or lower(cast("users"."email" as text) collate "C") like $6 escape '\'
          )
        ) and (
          "users"."id" in (
            select "filtered join"."user_id"
            from "user_groups" as "filtered join"
            where "filtered join"."group_id" in (
              select "nested 1"."id"
              from "groups" as "nested 1"
              where "nested 1"."id" = cast($7 as bigint)
            )
          ) and "users"."is_active" = $8 and "users"."is_staff" = $9 and "users"."is_superuser" = $10
        )
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
      (
        (
          lower(cast("users"."username" as text) collate "C") like $11 escape '\' or lower(cast("users"."email" as text) collate "C") like $12 escape '\'
        ) and (
          lower(cast("users"."username" as text) collate "C") like $13 escape '\' or lower(cast("users"."email" as text) collate "C") like $14 escape '\'
        )
      ) and (
        "users"."id" in (
          select "filtered join"."user_id"
          from "user_groups" as "filtered join"
          where "filtered join"."group_id" in (
            select "nested 1"."id"
            from "groups" as "nested 1"
            where "nested 1"."id" = cast($15 as bigint)
          )
        ) and "users"."is_active" = $16 and "users"."is_staff" = $17 and "users"."is_superuser" = $18
      )
    )
  )
  order by "users"."username" asc,
  "users"."email" asc,
  "users"."date_joined" asc,
  "users"."id" asc
  limit cast($19 as bigint) offset $20
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."username" asc,
"users"."email" asc,
"users"."date_joined" asc,
"users"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: position0, position1, position2, position3, filter.0.term0, filter.0.term0, filter.0.term1, filter.0.term1, filter.1.groups value, filter.1.is_active value, filter.1.is_staff value, filter.1.is_superuser value, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
),
cast("users"."username" as text),
cast("users"."email" as text),
cast("users"."date_joined" as text),
cast("users"."id" as text)
from "users"
where ("users"."username", "users"."email", "users"."date_joined", "users"."id") > ($1, $2, $3, $4) and (
  (
    (
      (
        lower(cast("users"."username" as text) collate "C") like $5 escape '\' or lower(cast("users"."email" as text) collate "C") like $6 escape '\'
      ) and (
        lower(cast("users"."username" as text) collate "C") like $7 escape '\' or lower(cast("users"."email" as text) collate "C") like $8 escape '\'
      )
    ) and (
      "users"."id" in (
        select "filtered join"."user_id"
        from "user_groups" as "filtered join"
        where "filtered join"."group_id" in (
          select "nested 1"."id"
          from "groups" as "nested 1"
          where "nested 1"."id" = cast($9 as bigint)
        )
      ) and "users"."is_active" = $10 and "users"."is_staff" = $11 and "users"."is_superuser" = $12
    )
  )
)
order by "users"."username" asc,
"users"."email" asc,
"users"."date_joined" asc,
"users"."id" asc
limit cast($13 as bigint);

-- retrieve
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
),
null
from "users"
where "users"."id" = cast($1 as bigint);

-- create
-- parameters: username, email, remote_identity, is_active, is_staff, is_superuser, password, username_key, date_joined
insert into "users" (
  "username",
  "email",
  "remote_identity",
  "is_active",
  "is_staff",
  "is_superuser",
  "password",
  "username_key",
  "date_joined"
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
returning "users"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
);

-- create: read the new object
-- parameters: keys
select "users"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
),
"users"."id"
from "users"
where "users"."id" = any(cast($1 as bigint[]));

-- update: load the object
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (
          select "users"."username" as "username",
          "users"."email" as "email",
          "users"."remote_identity" as "remote_identity",
          "users"."is_active" as "is_active",
          "users"."is_staff" as "is_staff",
          "users"."is_superuser" as "is_superuser"
        ) as o
      ) as "values"
    ) as o
  ) as text
)
from "users"
where "users"."id" = cast($1 as bigint);

-- update
-- parameters: set username, username, set email, email, set remote_identity, remote_identity, set is_active, is_active, set is_staff, is_staff, set is_superuser, is_superuser, set password, password, set username_key, username_key, set date_joined, date_joined, id, snapshot
update "users"
set "username" = case when cast($1 as boolean) then $2 else "users"."username" end,
"email" = case when cast($3 as boolean) then $4 else "users"."email" end,
"remote_identity" = case when cast($5 as boolean) then $6 else "users"."remote_identity" end,
"is_active" = case when cast($7 as boolean) then $8 else "users"."is_active" end,
"is_staff" = case when cast($9 as boolean) then $10 else "users"."is_staff" end,
"is_superuser" = case when cast($11 as boolean) then $12 else "users"."is_superuser" end,
"password" = case when cast($13 as boolean) then $14 else "users"."password" end,
"username_key" = case when cast($15 as boolean) then $16 else "users"."username_key" end,
"date_joined" = case when cast($17 as boolean) then $18 else "users"."date_joined" end
where "users"."id" = cast($19 as bigint) and cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (
          select "users"."username" as "username",
          "users"."email" as "email",
          "users"."remote_identity" as "remote_identity",
          "users"."is_active" as "is_active",
          "users"."is_staff" as "is_staff",
          "users"."is_superuser" as "is_superuser"
        ) as o
      ) as "values"
    ) as o
  ) as text
) = $20
returning cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
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
        from (
          select "users"."username" as "username",
          "users"."email" as "email",
          "users"."remote_identity" as "remote_identity",
          "users"."is_active" as "is_active",
          "users"."is_staff" as "is_staff",
          "users"."is_superuser" as "is_superuser"
        ) as o
      ) as "values"
    ) as o
  ) as text
),
"users"."id"
from "users"
where "users"."id" = any(cast($1 as bigint[]))
order by "users"."id" for update;

-- update in a transaction
-- parameters: set username, username, set email, email, set remote_identity, remote_identity, set is_active, is_active, set is_staff, is_staff, set is_superuser, is_superuser, set password, password, set username_key, username_key, set date_joined, date_joined, id
update "users"
set "username" = case when cast($1 as boolean) then $2 else "users"."username" end,
"email" = case when cast($3 as boolean) then $4 else "users"."email" end,
"remote_identity" = case when cast($5 as boolean) then $6 else "users"."remote_identity" end,
"is_active" = case when cast($7 as boolean) then $8 else "users"."is_active" end,
"is_staff" = case when cast($9 as boolean) then $10 else "users"."is_staff" end,
"is_superuser" = case when cast($11 as boolean) then $12 else "users"."is_superuser" end,
"password" = case when cast($13 as boolean) then $14 else "users"."password" end,
"username_key" = case when cast($15 as boolean) then $16 else "users"."username_key" end,
"date_joined" = case when cast($17 as boolean) then $18 else "users"."date_joined" end
where "users"."id" = cast($19 as bigint)
returning cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
);

-- update: read the changed object
-- parameters: keys
select "users"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select "users"."id" as "id",
      "users"."username" as "username",
      "users"."email" as "email",
      "users"."remote_identity" as "remote_identity",
      "users"."is_active" as "is_active",
      "users"."is_staff" as "is_staff",
      "users"."is_superuser" as "is_superuser",
      to_char("users"."date_joined" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "date_joined",
      array_to_json(
        array(
          select "related row"."group_id" as value
          from "user_groups" as "related row"
          where "related row"."user_id" = "users"."id"
          order by "related row"."group_id"
        )
      ) as "groups",
      array_to_json(
        array(
          select "user_permissions"."permission" as value
          from "user_permissions"
          where "user_permissions"."user_id" = "users"."id" and "user_permissions"."permission" in (
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
          order by "user_permissions"."permission"
        )
      ) as "permissions",
      (
        array_to_json(
          array(
            select value
            from (
              select value
              from json_array_elements_text(
                cast(
                  '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]' as json
                )
              )
            ) as grantable
            where "users"."is_superuser" or exists (
              select 1
              from group_permissions
              where permission = grantable.value and group_id in (select group_id from user_groups where user_id = "users"."id")
            )
            order by value
          )
        )
      ) as "inherited_permissions"
    ) as o
  ) as text
),
"users"."id"
from "users"
where "users"."id" = any(cast($1 as bigint[]));

-- destroy: load the object
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (
          select "users"."username" as "username",
          "users"."email" as "email",
          "users"."remote_identity" as "remote_identity",
          "users"."is_active" as "is_active",
          "users"."is_staff" as "is_staff",
          "users"."is_superuser" as "is_superuser"
        ) as o
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
        from (
          select "users"."username" as "username",
          "users"."email" as "email",
          "users"."remote_identity" as "remote_identity",
          "users"."is_active" as "is_active",
          "users"."is_staff" as "is_staff",
          "users"."is_superuser" as "is_superuser"
        ) as o
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

-- write: remove the rows of permissions
-- parameters: id, keys
delete
from "user_permissions"
where "user_id" = $1 and "user_permissions"."permission" not in (select value from (select value from json_array_elements_text(cast($2 as json))) as given) and "user_permissions"."permission" in (
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
insert into "user_permissions" ("user_id", "permission") select $1,
value
from (select value from (select value from json_array_elements_text(cast($2 as json))) as given) as added
where not exists (
  select 1
  from "user_permissions"
  where "user_id" = $3 and "user_permissions"."permission" = added.value
);

-- check: do the objects of groups exist?
-- parameters: keys
select "groups"."id" from "groups" where "groups"."id" = any(cast($1 as bigint[]));

-- check: is username taken?
-- parameters: username
select "users"."id" from "users" where "users"."username" = $1;

-- check: is remote_identity taken?
-- parameters: remote_identity
select "users"."id" from "users" where "users"."remote_identity" = $1;

-- view tokens: read the object
-- parameters: id
select cast((select row_to_json(o.*) from (select ) as o) as text)
from "users"
where "users"."id" = cast($1 as bigint);

-- view deletion: read the object
-- parameters: id
select cast((select row_to_json(o.*) from (select ) as o) as text)
from "users"
where "users"."id" = cast($1 as bigint);
