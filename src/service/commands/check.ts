// The command `check`: reports problems in the settings, the database and the declarations, without serving requests.

import { existsSync } from 'node:fs'
import { DeclarationError, findSqliteFile, listMissingIndexes, listUnnamedResources, type OwnedStepNames } from '#core'
import { createService } from '../create-service.ts'
import { print } from '../logging/standard-streams.ts'
import { listProblems } from '../migrations/check-steps.ts'
import { formatSteps } from '../migrations/format-steps.ts'
import { readOwners } from '../migrations/owners.ts'
import { CommandError, formatError } from '../processes/error-messages.ts'
import { openServices, type Services } from '../services.ts'
import { listDeploymentProblems } from '../settings/deployment-checks.ts'
import { readEnvironment } from '../settings/environment.ts'
import { type Settings, SettingsError } from '../settings/settings.ts'

export interface CheckOptions {
  /** Also lists settings that are unsafe in production. */
  readonly deploy?: boolean
}

/**
 * Prints one line per problem, then one per index that the lists want; throws CommandError if there are problems. Neither
 * creates nor changes a database.
 */
export async function check(settings: Settings, { deploy = false }: CheckOptions): Promise<void> {
  const found = await checkDatabase(settings)
  const problems = [...found.problems, ...(deploy ? listDeploymentProblems(settings, readEnvironment(settings)) : [])]
  const lines = [...(problems.length === 0 ? ['No problems.'] : problems), ...found.advice]
  print(`${lines.join('\n')}\n`)
  if (problems.length > 0) throw new CommandError(problems.length === 1 ? '1 problem' : `${problems.length} problems`)
}

/** The result of a check. */
interface Findings {
  /** They would prevent the service from starting. */
  readonly problems: readonly string[]
  readonly advice: readonly string[]
}

const createFindings = (...problems: readonly string[]): Findings => ({ problems, advice: [] })

async function checkDeclarations(services: Services, settings: Settings): Promise<Findings> {
  const app = await createService(services)
  try {
    await app.ready()
    return { problems: [], advice: [...(await listMissingIndexes(app)), ...listUnnamedResources(app)] }
  } catch (error) {
    // A resource and its copy in the administration have the same problems.
    return createFindings(
      ...(error instanceof DeclarationError ? new Set(error.problems) : [formatError(error, settings)]),
    )
  } finally {
    await app.close()
  }
}

async function checkDatabase(settings: Settings): Promise<Findings> {
  const { databaseUrl } = settings
  const file = findSqliteFile(databaseUrl)
  if (file !== undefined && !existsSync(file))
    return createFindings(`DATABASE_URL: there is no file ${file}: create it with "resource-api migrate"`)
  try {
    const secretKey = settings.secretKey ?? readEnvironment(settings).developmentSecret
    // Nothing is encrypted or decrypted here, so any secret works.
    const services = openServices({ ...settings, secretKey: secretKey ?? '-'.repeat(32) })
    try {
      // An in-memory database is always empty, so it has no migrations yet.
      if (databaseUrl === 'sqlite::memory:') await services.migrate()
      const { missing, empty, problems } = await services.inspectMigrations()
      const lacks =
        missing.length === 0 ? [] : [`the database lacks ${formatSteps(missing)}: run "resource-api migrate"`]
      const ofSteps = (await readOwners(services.owners)).flatMap(listProblems)
      const migrationProblems = [...[...problems, ...lacks].map(problem => `DATABASE_URL: ${problem}`), ...ofSteps]
      if (migrationProblems.length > 0) return createFindings(...migrationProblems)
      if (secretKey !== undefined) await services.accounts.secretRecord.check()
      const found = await checkDeclarations(services, settings)
      return { ...found, advice: [...formatEmpty(empty), ...found.advice] }
    } finally {
      await services.close()
    }
  } catch (error) {
    if (error instanceof SettingsError) return createFindings(error.message)
    return createFindings(formatError(error, settings))
  }
}

const formatEmpty = (owners: readonly OwnedStepNames[]): readonly string[] =>
  owners.flatMap(({ owner, steps }) =>
    steps.map(step => `the step "${step}" of "${owner}" runs no statement, so it is not recorded`),
  )
