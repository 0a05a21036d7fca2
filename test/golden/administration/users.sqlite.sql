-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
  order by "users"."username" asc,
  "users"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."username" asc,
"users"."id" asc;

-- list: the last page
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
  order by "users"."username" asc,
  "users"."id" asc
  limit cast(? as bigint) offset abs(
    (
      select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (select count(*) from "users") end
    ) - 1
  ) / cast(? as bigint) * cast(? as bigint)
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."username" asc,
"users"."id" asc;

-- list: a slice without the count
-- parameters: limit, offset
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
    )
  )
)
from (
  select "users"."id" as "page row"
  from "users"
  order by "users"."username" asc,
  "users"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."username" asc,
"users"."id" asc;

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
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
    )
  )
),
"users"."username",
"users"."id"
from "users"
order by "users"."username" asc,
"users"."id" asc
limit cast(? as bigint);

-- list: the rows after a cursor position
-- parameters: position0, position1, limit
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
    )
  )
),
"users"."username",
"users"."id"
from "users"
where ("users"."username", "users"."id") > (?, ?)
order by "users"."username" asc,
"users"."id" asc
limit cast(? as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.0.term0, filter.0.term0, filter.0.term1, filter.0.term1, filter.1.groups value, filter.1.is_active value, filter.1.is_staff value, filter.1.is_superuser value, filter.0.term0, filter.0.term0, filter.0.term1, filter.0.term1, filter.1.groups value, filter.1.is_active value, filter.1.is_staff value, filter.1.is_superuser value, limit, offset
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
    )
  )
),
(
  select case when (select (select cast(data_version as text) from pragma_data_version)) = ? then cast(? as bigint) else (
    select count(*)
    from "users"
    where (
      (
        (
          (
            lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
          ) and (
            lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
          )
        ) and (
          "users"."id" in (
            select "filtered join"."user_id"
            from "user_groups" as "filtered join"
            where "filtered join"."group_id" in (
              select "nested 1"."id"
              from "groups" as "nested 1"
              where "nested 1"."id" = cast(? as bigint)
            )
          ) and "users"."is_active" = ? and "users"."is_staff" = ? and "users"."is_superuser" = ?
        )
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
      (
        (
          lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
        ) and (
          lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
        )
      ) and (
        "users"."id" in (
          select "filtered join"."user_id"
          from "user_groups" as "filtered join"
          where "filtered join"."group_id" in (
            select "nested 1"."id"
            from "groups" as "nested 1"
            where "nested 1"."id" = cast(? as bigint)
          )
        ) and "users"."is_active" = ? and "users"."is_staff" = ? and "users"."is_superuser" = ?
      )
    )
  )
  order by "users"."username" asc,
  "users"."email" asc,
  "users"."date_joined" asc,
  "users"."id" asc
  limit cast(? as bigint) offset ?
) as "page rows"
cross join "users"
where "users"."id" = "page row"
order by "users"."username" asc,
"users"."email" asc,
"users"."date_joined" asc,
"users"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: position0, position1, position2, position3, filter.0.term0, filter.0.term0, filter.0.term1, filter.0.term1, filter.1.groups value, filter.1.is_active value, filter.1.is_staff value, filter.1.is_superuser value, limit
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
    )
  )
),
"users"."username",
"users"."email",
"users"."date_joined",
"users"."id"
from "users"
where ("users"."username", "users"."email", "users"."date_joined", "users"."id") > (?, ?, ?, ?) and (
  (
    (
      (
        lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
      ) and (
        lower(cast("users"."username" as text) collate binary) like ? escape '\' or lower(cast("users"."email" as text) collate binary) like ? escape '\'
      )
    ) and (
      "users"."id" in (
        select "filtered join"."user_id"
        from "user_groups" as "filtered join"
        where "filtered join"."group_id" in (
          select "nested 1"."id"
          from "groups" as "nested 1"
          where "nested 1"."id" = cast(? as bigint)
        )
      ) and "users"."is_active" = ? and "users"."is_staff" = ? and "users"."is_superuser" = ?
    )
  )
)
order by "users"."username" asc,
"users"."email" asc,
"users"."date_joined" asc,
"users"."id" asc
limit cast(? as bigint);

-- retrieve
-- parameters: id
select json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
    )
  )
),
null
from "users"
where "users"."id" = ?;

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
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning "users"."id",
json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
    )
  )
);

-- create: read the new object
-- parameters: keys
select "users"."id",
json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
  json_object(
    'username',
    "users"."username",
    'email',
    "users"."email",
    'remote_identity',
    "users"."remote_identity",
    'is_active',
    case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
    'is_staff',
    case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
    'is_superuser',
    case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end
  )
)
from "users"
where "users"."id" = ?;

-- update
-- parameters: set username, username, set email, email, set remote_identity, remote_identity, set is_active, is_active, set is_staff, is_staff, set is_superuser, is_superuser, set password, password, set username_key, username_key, set date_joined, date_joined, id, snapshot
update "users"
set "username" = case when cast(? as boolean) then ? else "users"."username" end,
"email" = case when cast(? as boolean) then ? else "users"."email" end,
"remote_identity" = case when cast(? as boolean) then ? else "users"."remote_identity" end,
"is_active" = case when cast(? as boolean) then ? else "users"."is_active" end,
"is_staff" = case when cast(? as boolean) then ? else "users"."is_staff" end,
"is_superuser" = case when cast(? as boolean) then ? else "users"."is_superuser" end,
"password" = case when cast(? as boolean) then ? else "users"."password" end,
"username_key" = case when cast(? as boolean) then ? else "users"."username_key" end,
"date_joined" = case when cast(? as boolean) then ? else "users"."date_joined" end
where "users"."id" = ? and json_object(
  'object',
  json_object(),
  'values',
  json_object(
    'username',
    "users"."username",
    'email',
    "users"."email",
    'remote_identity',
    "users"."remote_identity",
    'is_active',
    case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
    'is_staff',
    case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
    'is_superuser',
    case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end
  )
) = ?
returning json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
  json_object(
    'username',
    "users"."username",
    'email',
    "users"."email",
    'remote_identity',
    "users"."remote_identity",
    'is_active',
    case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
    'is_staff',
    case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
    'is_superuser',
    case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end
  )
),
"users"."id"
from "users"
where "users"."id" in (select value from json_each(?))
order by "users"."id";

-- update in a transaction
-- parameters: set username, username, set email, email, set remote_identity, remote_identity, set is_active, is_active, set is_staff, is_staff, set is_superuser, is_superuser, set password, password, set username_key, username_key, set date_joined, date_joined, id
update "users"
set "username" = case when cast(? as boolean) then ? else "users"."username" end,
"email" = case when cast(? as boolean) then ? else "users"."email" end,
"remote_identity" = case when cast(? as boolean) then ? else "users"."remote_identity" end,
"is_active" = case when cast(? as boolean) then ? else "users"."is_active" end,
"is_staff" = case when cast(? as boolean) then ? else "users"."is_staff" end,
"is_superuser" = case when cast(? as boolean) then ? else "users"."is_superuser" end,
"password" = case when cast(? as boolean) then ? else "users"."password" end,
"username_key" = case when cast(? as boolean) then ? else "users"."username_key" end,
"date_joined" = case when cast(? as boolean) then ? else "users"."date_joined" end
where "users"."id" = ?
returning json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
    )
  )
);

-- update: read the changed object
-- parameters: keys
select "users"."id",
json_object(
  'id',
  "users"."id",
  'username',
  "users"."username",
  'email',
  "users"."email",
  'remote_identity',
  "users"."remote_identity",
  'is_active',
  case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
  'is_staff',
  case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
  'is_superuser',
  case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end,
  'date_joined',
  case when "users"."date_joined" glob '????-??-??T??:??:??.??????Z' then "users"."date_joined" else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', "users"."date_joined"), "users"."date_joined") end,
  'groups',
  (
    select json_group_array(value)
    from (
      select "related row"."group_id" as value
      from "user_groups" as "related row"
      where "related row"."user_id" = "users"."id"
      order by "related row"."group_id"
    )
  ),
  'permissions',
  (
    select json_group_array(value)
    from (
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
  ),
  'inherited_permissions',
  json(
    (
      (
        select json_group_array(value)
        from (
          select value
          from (
            select value
            from json_each(
              '["users.add","users.change","users.delete","users.view","groups.add","groups.change","groups.delete","groups.view","snippets.add","snippets.change","snippets.delete","snippets.view"]'
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
  json_object(
    'username',
    "users"."username",
    'email',
    "users"."email",
    'remote_identity',
    "users"."remote_identity",
    'is_active',
    case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
    'is_staff',
    case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
    'is_superuser',
    case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end
  )
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
  json_object(
    'username',
    "users"."username",
    'email',
    "users"."email",
    'remote_identity',
    "users"."remote_identity",
    'is_active',
    case "users"."is_active" when 1 then json('true') when 0 then json('false') end,
    'is_staff',
    case "users"."is_staff" when 1 then json('true') when 0 then json('false') end,
    'is_superuser',
    case "users"."is_superuser" when 1 then json('true') when 0 then json('false') end
  )
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

-- write: remove the rows of permissions
-- parameters: id, keys
delete
from "user_permissions"
where "user_id" = ? and "user_permissions"."permission" not in (select value from (select value from json_each(?)) as given) and "user_permissions"."permission" in (
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
insert into "user_permissions" ("user_id", "permission") select ?,
value
from (select value from (select value from json_each(?)) as given) as added
where not exists (
  select 1
  from "user_permissions"
  where "user_id" = ? and "user_permissions"."permission" = added.value
);

-- check: do the objects of groups exist?
-- parameters: keys
select "groups"."id" from "groups" where "groups"."id" in (select value from json_each(?));

-- check: is username taken?
-- parameters: username
select "users"."id" from "users" where "users"."username" = ?;

-- check: is remote_identity taken?
-- parameters: remote_identity
select "users"."id" from "users" where "users"."remote_identity" = ?;

-- view tokens: read the object
-- parameters: id
select json_object() from "users" where "users"."id" = ?;

-- view deletion: read the object
-- parameters: id
select json_object() from "users" where "users"."id" = ?;
