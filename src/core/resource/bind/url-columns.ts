import type { Connection } from '../../database/database.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'

/** Reads the columns that the URL sets instead of the body; rejects with NotFound if the URL's parent does not exist. */
export type ReadUrlColumns = (connection: Connection) => Promise<Readonly<Record<string, KeyValue>>>

/** Reads the values of row filters, which the returned function then uses with any connection. */
export type PrepareUrlColumns = (context: HandlerContext) => Promise<ReadUrlColumns>

/** Reads the columns of a URL that sets none. */
export const readNoColumns: ReadUrlColumns = async () => ({})
