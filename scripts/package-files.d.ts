/** Whether the package may contain a file, by its path from the package's root. */
export function isAllowed(path: string): boolean
