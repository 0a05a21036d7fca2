import { isSafe, type Permission } from './permission.ts'

/** Everyone reads; only the user whose key stands in `column` of the object does more (AUTH-PERM-r3). */
export function ownerOrReadOnly(column: string): Permission {
  return Object.freeze<Permission>({
    columns: [column],
    allowsSafe: true,
    allowsObject: ({ user, method }, object) => isSafe(method) || (user.isAuthenticated && object[column] === user.id),
  })
}
