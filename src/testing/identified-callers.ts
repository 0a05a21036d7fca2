// Identifies the callers of a test as any user that it wants, in addition to the schemes of the application.

import { randomUUID } from 'node:crypto'
import { failure, type Identity, type Resource, type Scheme, skip, success } from '#core'

export interface IdentifiedCallers<User extends Identity> {
  /** The header fields that identify this user. */
  identify(user: User): Readonly<Record<string, string>>
  /** Lets these schemes identify the callers of the test too. Nobody is identified without schemes. */
  addTo(schemes: readonly Scheme[]): readonly Scheme[]
  /** The scheme of an API that declares none. */
  readonly scheme: Scheme
}

const header = 'x-test-caller'

export function createIdentifiedCallers<User extends Identity>(): IdentifiedCallers<User> {
  const users = new Map<string, User>()
  const authenticate: Scheme['authenticate'] = ({ headers }) => {
    const key = headers[header]
    if (key === undefined) return skip
    const user = users.get(String(key))
    return user === undefined ? failure(`The field ${header} identifies nobody: use api.as(user).`) : success(user)
  }
  return {
    identify(user) {
      const key = randomUUID()
      users.set(key, user)
      return { [header]: key }
    },
    // The first scheme keeps its name, challenge and `varyOn`, so responses do not differ from those of the application.
    addTo([first, ...others]) {
      if (first === undefined) return []
      const extended: Scheme = Object.create(first, {
        authenticate: {
          value: (request: Parameters<Scheme['authenticate']>[0], baseUrl: string) =>
            request.headers[header] === undefined
              ? first.authenticate(request, baseUrl)
              : authenticate(request, baseUrl),
        },
      })
      return [extended, ...others]
    },
    scheme: Object.freeze({ name: 'test', varyOn: [], authenticate }),
  }
}

/** Adds the callers of a test to the schemes that a resource, or a view below it, has of its own. */
export function addCallersToResource(resource: Resource, callers: AddCallers): Resource {
  const { listViews, objectViews } = resource
  return {
    ...addCallersToView(resource, callers),
    ...(listViews && { listViews: addCallersToViews(listViews, callers) }),
    ...(objectViews && { objectViews: addCallersToViews(objectViews, callers) }),
  }
}

/** Adds the callers of a test to the schemes that views have of their own. */
export const addCallersToViews = <View extends Authenticated>(
  views: Readonly<Record<string, View>>,
  callers: AddCallers,
): Readonly<Record<string, View>> =>
  Object.fromEntries(Object.entries(views).map(([name, view]) => [name, addCallersToView(view, callers)]))

export const addCallersToView = <View extends Authenticated>(view: View, { addTo }: AddCallers): View =>
  view.authentication === undefined ? view : { ...view, authentication: addTo(view.authentication) }

interface Authenticated {
  readonly authentication?: readonly Scheme[]
}

type AddCallers = Pick<IdentifiedCallers<never>, 'addTo'>
