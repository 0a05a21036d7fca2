// Adds the Fastify plugins and routes of the profiles beside their APIs. They do not change the APIs, but errors get the same
// responses.

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ApiOptions } from '#api'
import { addOwnRoute, anonymous, authenticate, createBaseUrl, formatShape, listServerRoutes } from '#core'
import type { OpenProfile } from '../open-profiles.ts'
import type { ConfigureContext } from '../profile-options.ts'
import type { Services } from '../services.ts'
import { SettingsError } from '../settings/settings-error.ts'

interface MountedApis {
  /** The options that all APIs share. */
  readonly shared: ApiOptions
  /** The error handler of each API, by its prefix. */
  readonly errorHandlers: ReadonlyMap<string, FastifyInstance['errorHandler']>
}

/** Calls `configure` of the profiles. Throws SettingsError if one fails, or if its route has the URL of a view. */
export async function configureProfiles(
  app: FastifyInstance,
  { profiles, accounts, database, clock }: Services,
  { shared, errorHandlers }: MountedApis,
): Promise<void> {
  for (const profile of profiles) {
    const prefix = profile.mount.replace(/(?<=.)\/$/, '')
    const context = { accounts, database, clock, identify: createIdentify(shared, prefix.replace(/\/$/, '')) }
    const register = async (scope: FastifyInstance) => {
      scope.setErrorHandler(errorHandlers.get(prefix)!)
      scope.addHook('onRoute', route => {
        checkRoute(app, profile, route)
        addOwnRoute(app, route)
      })
      // A plugin may set an error handler of its own.
      await scope.register(async own => void (await profile.configure(own, context)))
    }
    try {
      await app.register(register, { prefix })
    } catch (error) {
      if (error instanceof SettingsError) throw error
      throw new SettingsError(`profiles: configure of ${profile.name} fails: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }
}

function createIdentify(shared: ApiOptions, prefix: string): ConfigureContext['identify'] {
  const readBaseUrl = createBaseUrl({ ...shared, prefix })
  const settings = {
    authentication: shared.authentication ?? [],
    anonymous: shared.anonymous ?? { user: anonymous, auth: null },
  }
  return async request => {
    const { user, auth, checkBody } = await authenticate(request, settings, readBaseUrl(request))
    // The route reads the body itself, so a CSRF token counts only in the header.
    await checkBody?.({ kind: 'empty' })
    return { user, auth }
  }
}

// Fastify would refuse only the same method, and name only the URL.
function checkRoute(app: FastifyInstance, { name }: OpenProfile, { method, url }: RouteOptions): void {
  const shape = formatShape(url.replace(/\/?$/, '/'))
  const taken = listServerRoutes(app).find(route => formatShape(route.prefix + route.path) === shape)
  if (taken === undefined) return
  const { prefix, path, view } = taken
  throw new SettingsError(
    `profiles: configure of ${name} adds ${method} ${url}, but the view "${view.id ?? view.name}" is at ${prefix}${path}: choose another path`,
  )
}
