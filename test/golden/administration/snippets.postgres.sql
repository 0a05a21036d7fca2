-- list: a page
-- parameters: cached_version, cached_count, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "snippets") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "snippets"."id" as "page row"
  from "snippets"
  order by "snippets"."created" desc,
  "snippets"."id" desc
  limit cast($3 as bigint) offset $4
) as "page rows"
cross join "snippets"
where "snippets"."id" = "page row"
order by "snippets"."created" desc,
"snippets"."id" desc;

-- list: the last page
-- parameters: cached_version, cached_count, limit, cached_version, cached_count, limit, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "snippets") end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "snippets"."id" as "page row"
  from "snippets"
  order by "snippets"."created" desc,
  "snippets"."id" desc
  limit cast($3 as bigint) offset abs(
    (
      select case when (
        select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
      ) = $4 then cast($5 as bigint) else (select count(*) from "snippets") end
    ) - 1
  ) / cast($6 as bigint) * cast($7 as bigint)
) as "page rows"
cross join "snippets"
where "snippets"."id" = "page row"
order by "snippets"."created" desc,
"snippets"."id" desc;

-- list: a slice without the count
-- parameters: limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
)
from (
  select "snippets"."id" as "page row"
  from "snippets"
  order by "snippets"."created" desc,
  "snippets"."id" desc
  limit cast($1 as bigint) offset $2
) as "page rows"
cross join "snippets"
where "snippets"."id" = "page row"
order by "snippets"."created" desc,
"snippets"."id" desc;

-- list: only the count
-- parameters: cached_version, cached_count
select (
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (select count(*) from "snippets") end
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
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
cast("snippets"."created" as text),
cast("snippets"."id" as text)
from "snippets"
order by "snippets"."created" desc,
"snippets"."id" desc
limit cast($1 as bigint);

-- list: the rows after a cursor position
-- parameters: position0, position1, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
cast("snippets"."created" as text),
cast("snippets"."id" as text)
from "snippets"
where ("snippets"."created", "snippets"."id") < ($1, $2)
order by "snippets"."created" desc,
"snippets"."id" desc
limit cast($3 as bigint);

-- list, searched, filtered and ordered: a page
-- parameters: cached_version, cached_count, filter.0.term0, filter.0.term1, filter.1.owner value, filter.1.language value, filter.1.linenos value, filter.0.term0, filter.0.term1, filter.1.owner value, filter.1.language value, filter.1.linenos value, limit, offset
select cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
(
  select case when (
    select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
  ) = $1 then cast($2 as bigint) else (
    select count(*)
    from "snippets"
    where (
      (
        (
          (lower(cast("snippets"."title" as text) collate "C") like $3 escape '\') and (lower(cast("snippets"."title" as text) collate "C") like $4 escape '\')
        ) and (
          (
            select "referred row"."username"
            from "users" as "referred row"
            where "referred row"."id" = "snippets"."owner_id"
          ) = $5 and "snippets"."language" = $6 and "snippets"."linenos" = $7
        )
      )
    )
  ) end
),
(
  select case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end
)
from (
  select "snippets"."id" as "page row"
  from "snippets"
  where (
    (
      (
        (lower(cast("snippets"."title" as text) collate "C") like $8 escape '\') and (lower(cast("snippets"."title" as text) collate "C") like $9 escape '\')
      ) and (
        (
          select "referred row"."username"
          from "users" as "referred row"
          where "referred row"."id" = "snippets"."owner_id"
        ) = $10 and "snippets"."language" = $11 and "snippets"."linenos" = $12
      )
    )
  )
  order by "snippets"."created" asc,
  "snippets"."title" asc,
  "snippets"."language" asc,
  "snippets"."id" asc
  limit cast($13 as bigint) offset $14
) as "page rows"
cross join "snippets"
where "snippets"."id" = "page row"
order by "snippets"."created" asc,
"snippets"."title" asc,
"snippets"."language" asc,
"snippets"."id" asc;

-- list, searched, filtered and ordered: the rows after a cursor position
-- parameters: position0, position1, position2, position3, filter.0.term0, filter.0.term1, filter.1.owner value, filter.1.language value, filter.1.linenos value, limit
select cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
cast("snippets"."created" as text),
cast("snippets"."title" as text),
cast("snippets"."language" as text),
cast("snippets"."id" as text)
from "snippets"
where ("snippets"."created", "snippets"."title", "snippets"."language", "snippets"."id") > ($1, $2, $3, $4) and (
  (
    (
      (lower(cast("snippets"."title" as text) collate "C") like $5 escape '\') and (lower(cast("snippets"."title" as text) collate "C") like $6 escape '\')
    ) and (
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) = $7 and "snippets"."language" = $8 and "snippets"."linenos" = $9
    )
  )
)
order by "snippets"."created" asc,
"snippets"."title" asc,
"snippets"."language" asc,
"snippets"."id" asc
limit cast($10 as bigint);

-- retrieve
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
null
from "snippets"
where "snippets"."id" = cast($1 as bigint);

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
          select "snippets"."title" as "title",
          "snippets"."code" as "code",
          "snippets"."linenos" as "linenos",
          "snippets"."language" as "language",
          "snippets"."style" as "style"
        ) as o
      ) as "values"
    ) as o
  ) as text
)
from "snippets"
where "snippets"."id" = cast($1 as bigint);

-- update
-- parameters: set title, title, set code, code, set linenos, linenos, set language, language, set style, style, set highlighted, highlighted, set owner_id, owner_id, set created, created, id, snapshot
update "snippets"
set "title" = case when cast($1 as boolean) then $2 else "snippets"."title" end,
"code" = case when cast($3 as boolean) then $4 else "snippets"."code" end,
"linenos" = case when cast($5 as boolean) then $6 else "snippets"."linenos" end,
"language" = case when cast($7 as boolean) then $8 else "snippets"."language" end,
"style" = case when cast($9 as boolean) then $10 else "snippets"."style" end,
"highlighted" = case when cast($11 as boolean) then $12 else "snippets"."highlighted" end,
"owner_id" = case when cast($13 as boolean) then $14 else "snippets"."owner_id" end,
"created" = case when cast($15 as boolean) then $16 else "snippets"."created" end
where "snippets"."id" = cast($17 as bigint) and cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (
          select "snippets"."title" as "title",
          "snippets"."code" as "code",
          "snippets"."linenos" as "linenos",
          "snippets"."language" as "language",
          "snippets"."style" as "style"
        ) as o
      ) as "values"
    ) as o
  ) as text
) = $18
returning cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
);

-- update in a transaction: lock
-- parameters: keys
select "snippets"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (
        select row_to_json(o.*)
        from (
          select "snippets"."title" as "title",
          "snippets"."code" as "code",
          "snippets"."linenos" as "linenos",
          "snippets"."language" as "language",
          "snippets"."style" as "style"
        ) as o
      ) as "values"
    ) as o
  ) as text
),
"snippets"."id"
from "snippets"
where "snippets"."id" = any(cast($1 as bigint[]))
order by "snippets"."id" for update;

-- update in a transaction
-- parameters: set title, title, set code, code, set linenos, linenos, set language, language, set style, style, set highlighted, highlighted, set owner_id, owner_id, set created, created, id
update "snippets"
set "title" = case when cast($1 as boolean) then $2 else "snippets"."title" end,
"code" = case when cast($3 as boolean) then $4 else "snippets"."code" end,
"linenos" = case when cast($5 as boolean) then $6 else "snippets"."linenos" end,
"language" = case when cast($7 as boolean) then $8 else "snippets"."language" end,
"style" = case when cast($9 as boolean) then $10 else "snippets"."style" end,
"highlighted" = case when cast($11 as boolean) then $12 else "snippets"."highlighted" end,
"owner_id" = case when cast($13 as boolean) then $14 else "snippets"."owner_id" end,
"created" = case when cast($15 as boolean) then $16 else "snippets"."created" end
where "snippets"."id" = cast($17 as bigint)
returning cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
);

-- update: read the changed object
-- parameters: keys
select "snippets"."id",
cast(
  (
    select row_to_json(o.*)
    from (
      select "snippets"."id" as "id",
      (
        select "referred row"."username"
        from "users" as "referred row"
        where "referred row"."id" = "snippets"."owner_id"
      ) as "owner",
      "snippets"."title" as "title",
      "snippets"."code" as "code",
      "snippets"."linenos" as "linenos",
      "snippets"."language" as "language",
      "snippets"."style" as "style",
      to_char("snippets"."created" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created"
    ) as o
  ) as text
),
"snippets"."id"
from "snippets"
where "snippets"."id" = any(cast($1 as bigint[]));

-- destroy: load the object
-- parameters: id
select cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (select row_to_json(o.*) from (select ) as o) as "values"
    ) as o
  ) as text
)
from "snippets"
where "snippets"."id" = cast($1 as bigint);

-- destroy
-- parameters: id, snapshot
delete
from "snippets"
where "snippets"."id" = cast($1 as bigint) and cast(
  (
    select row_to_json(o.*)
    from (
      select (select row_to_json(o.*) from (select ) as o) as "object",
      (select row_to_json(o.*) from (select ) as o) as "values"
    ) as o
  ) as text
) = $2
returning "snippets"."id";

-- view highlight: read the object
-- parameters: id
select cast((select row_to_json(o.*) from (select "snippets"."highlighted" as "highlighted") as o) as text)
from "snippets"
where "snippets"."id" = cast($1 as bigint);

-- view deletion: read the object
-- parameters: id
select cast((select row_to_json(o.*) from (select ) as o) as text)
from "snippets"
where "snippets"."id" = cast($1 as bigint);
