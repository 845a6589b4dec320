declare module 'pg' {
  import type { DatabaseClient, DatabasePool } from '../../src/custody/database/database.ts'

  const pg: {
    readonly Pool: new (options: object) => DatabasePool & Pick<DatabaseClient, 'on'>
  }
  export default pg
}
