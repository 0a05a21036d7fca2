// Creates and changes the objects of a list from the rows of a file: each as the request for it alone would, with its permissions,
// checks, hooks and recorded change, but all in one transaction (decision 176).

import type { HandlerContext } from '../../../http/context.ts'
import { formatRowName } from '../../../keys/key.ts'
import type { ImportOptions, ImportResult, WriteImported } from '../../../view/list-writes.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { ResourceLocation } from '../../bind/resource-location.ts'
import { createColumnReader } from '../../bind/resource-location.ts'
import { enterConnection, withoutEnvelope } from '../../bind/restrict.ts'
import { seenBy } from '../../bind/seen-resource.ts'
import { createPathFormatter, formatObjectPattern } from '../../names/list-paths.ts'
import { createObject } from '../create.ts'
import { retryLostRaces } from '../write.ts'
import { createUpdater, isWritten, reportWritten, withData } from './bulk-handlers.ts'
import { readNamedItems } from './named-items.ts'
import { createAll } from './write-all.ts'
import { formatRefusal, type Outcome, writeEach } from './write-each.ts'

/** Ends a transaction whose rows are not kept. */
class NotKept extends Error {
  override name = 'NotKept'
  readonly outcomes: Outcomes
  constructor(outcomes: Outcomes) {
    super('the rows of the file are not kept')
    this.outcomes = outcomes
  }
}

interface Outcomes {
  readonly created: readonly Outcome[]
  readonly changed: readonly Outcome[]
}

/** Creates the function that writes the rows of a file. */
export function createImportWriter(location: ResourceLocation): WriteImported {
  const { bound, objects, list } = location
  const { resource, identifier, api, rowsPerRequest } = bound
  const place = {
    pattern: list.pattern,
    objectPattern: formatObjectPattern(resource, list),
    formatPath: createPathFormatter(resource, list),
  }
  const prepareUrlColumns = createColumnReader(location)
  const [plain, plainObjects] = [bound, objects].map(withoutEnvelope) as [BoundResource, BoundResource]
  const toResult =
    (request: HandlerContext) =>
    (outcome: Outcome): ImportResult =>
      isWritten(outcome)
        ? { segment: `${formatRowName(identifier, outcome.name)}${api.urlEnd}` }
        : { refusal: formatRefusal(outcome.error, request) }
  const write = async (items: ImportItems, { creation, change, isKept }: ImportOptions): Promise<Outcomes> => {
    const readUrlColumns = await prepareUrlColumns(creation)
    const [ofCreation, ofChange] = [seenBy(plain, creation), seenBy(plainObjects, change)]
    const create = (entered: BoundResource) =>
      writeEach(entered, items.created, {
        all: () => createAll(entered, creation, items.created, readUrlColumns),
        one: (inside, data) => createObject(inside, withData(creation, data), { readUrlColumns }),
      })
    const named = readNamedItems(resource, items.changed, { acceptsKeys: false })
    const update = (entered: BoundResource) =>
      writeEach(entered, named, createUpdater(entered, change, named, { partial: true }))
    return retryLostRaces(() =>
      bound.database.transaction(async connection => {
        const created = items.created.length === 0 ? [] : await create(enterConnection(ofCreation, connection))
        const changed = named.length === 0 ? [] : await update(enterConnection(ofChange, connection))
        if (!isKept([...created, ...changed].filter(outcome => !isWritten(outcome)).length))
          throw new NotKept({ created, changed })
        return { created, changed }
      }),
    )
  }
  return {
    maxRows: rowsPerRequest,
    async write(items, options) {
      const {
        created,
        changed,
        isWritten: kept,
      } = await write(items, options).then(
        outcomes => ({ ...outcomes, isWritten: true }),
        (error: unknown) => {
          if (error instanceof NotKept) return { ...error.outcomes, isWritten: false }
          throw error
        },
      )
      const { creation, change } = options
      if (kept) {
        reportWritten(place, { bound, request: creation, status: 201 }, created.filter(isWritten))
        reportWritten(place, { bound, request: change, status: 200 }, changed.filter(isWritten))
      }
      return { created: created.map(toResult(creation)), changed: changed.map(toResult(change)) }
    },
  }
}

type ImportItems = Parameters<WriteImported['write']>[0]
