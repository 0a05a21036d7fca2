import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { formatDateTime } from '../../fields/kinds/date-time.ts'
import type { RequestContext } from '../../http/context.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { Resource } from '../declare/resource.ts'
import type { SingletonContext } from '../declare/singleton.ts'
import { readPathValue } from '../names/path-value.ts'

/** The value that identifies the object of a request; throws or rejects with NotFound if no object can have it. */
export function readObjectId(bound: BoundResource, context: RequestContext): MaybePromise<KeyValue> {
  const { resource, clock } = bound
  if (resource.singleton === undefined) return readPathValue(bound, context)
  const parameters = context.request.params as SingletonContext['parameters']
  const finding = resource.singleton({ caller: context.user, parameters, now: formatDateTime(clock())! })
  return isPromise(finding) ? finding.then(key => checkFound(resource, key)) : checkFound(resource, finding)
}

function checkFound({ key: { parse } }: Resource, key: KeyValue | null | undefined): KeyValue {
  if (key === null || key === undefined || parse(String(key)) !== key) throw new NotFound()
  return key
}
