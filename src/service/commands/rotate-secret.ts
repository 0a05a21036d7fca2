import { auditCommand } from '../audit/audit.ts'
import { warn } from '../logging/standard-streams.ts'
import type { Services } from '../services.ts'

export interface RotateSecretOptions {
  readonly lost?: boolean
}

/** Encrypts everything with SECRET_KEY, and forgets the keys before it. */
export async function rotateSecret(services: Services, { lost = false }: RotateSecretOptions): Promise<void> {
  await services.migrate()
  const rotation = await services.secretRecord.rotate({ lost })
  auditCommand(services, 'secret changed', 'rotate-secret')
  warn(`Encrypted ${count(rotation.encrypted)} with SECRET_KEY, which is the only key of this database now.`)
  if (rotation.lost > 0)
    warn(
      `${count(rotation.lost)} cannot be shown again: each works until the next login of its user, which replaces it.`,
    )
}

const count = (tokens: number): string => (tokens === 1 ? '1 token' : `${tokens} tokens`)
