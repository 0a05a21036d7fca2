import { authenticated, objectView } from 'resource-api'

/** A table with a row for each user and each object that the user follows or has as a favorite. */
export interface CallerRows {
  readonly table: string
  /** The column with the key of the user. */
  readonly user: string
  /** The column with the key of the object. */
  readonly object: string
}

/** A view below an object: POST adds the caller's row, and DELETE removes it. Both respond with the object. */
export const callerRowView = (rows: CallerRows) =>
  objectView({
    permissions: [authenticated],
    response: 'representation',
    handlers: {
      async POST({ database, key, user, represent }) {
        await database.transaction(({ kysely }) =>
          kysely
            .insertInto(rows.table)
            .values({ [rows.user]: user.id, [rows.object]: key })
            .onConflict(conflict => conflict.doNothing())
            .execute(),
        )
        return represent()
      },
      async DELETE({ database, key, user, represent }) {
        await database.transaction(({ kysely }) =>
          kysely.deleteFrom(rows.table).where(rows.user, '=', user.id).where(rows.object, '=', key).execute(),
        )
        return represent()
      },
    },
  })
