import type { Action } from './action-options.ts'
import type { Resource } from './resource.ts'

/** Whether an object of the resource has a URL. */
export const hasObjectUrl = ({ actions }: Pick<Resource, 'actions'>): boolean =>
  actions.some(action => objectActions.has(action))

/** The actions at an object's URL. */
const objectActions: ReadonlySet<Action> = new Set(['retrieve', 'update', 'destroy'])
