//! What the login of a service may do with its tables, tried on a real database.

use adfolio_kit::db::{Rights, Schema};
use sqlx::postgres::PgArguments;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool, query::Query};

use crate::database::{MIGRATOR, OWNER, SERVICE, TestDatabase};

/// The SQLSTATE of insufficient_privilege.
const NOT_PERMITTED: &str = "42501";

/// Bits of `pg_trigger.tgtype`, and the privileges that the events take.
const EVENTS: [(i16, &str); 3] = [(8, "DELETE"), (16, "UPDATE"), (32, "TRUNCATE")];

/// Asserts that the login of a service has the declared rights and can change nothing about its
/// tables, and that `books` are declared append-only. Every trigger that refuses changes of a table
/// must have its counterpart in the declaration.
pub async fn assert_rights(schema: &Schema, books: &[&str]) {
    let database = TestDatabase::create(schema).await;
    let pool = database.pool();
    let tables = tables(&pool).await;
    for (name, _) in schema.rights {
        assert!(tables.iter().any(|it| it == name), "{name} is no table");
    }
    assert_refusing_triggers_are_declared(&pool, schema).await;

    let mut service = PgConnection::connect(&database.url_as(SERVICE))
        .await
        .expect("the service logs in");
    for book in books {
        let rights = schema.rights.iter().find(|(name, _)| name == book);
        assert_eq!(rights, Some(&(*book, Rights::Append)));
    }
    for (table, rights) in schema.rights {
        assert_kept(&mut service, &pool, table, *rights).await;
    }
    for table in &tables {
        assert_structure_is_kept(&mut service, &pool, table).await;
    }
    for statement in [
        "CREATE TABLE another (id bigint)".to_owned(),
        "CREATE FUNCTION another() RETURNS int LANGUAGE sql AS 'SELECT 1'".to_owned(),
        "CREATE SCHEMA another".to_owned(),
        format!("SET ROLE {OWNER}"),
        format!("SET ROLE {MIGRATOR}"),
        format!("GRANT {OWNER} TO {SERVICE}"),
        "SET session_replication_role = 'replica'".to_owned(),
        "UPDATE _sqlx_migrations SET version = version".to_owned(),
        "DELETE FROM _kit_migrations".to_owned(),
        "DELETE FROM outbox".to_owned(),
        "ALTER FUNCTION drop_outbox_part SECURITY INVOKER".to_owned(),
    ] {
        assert_not_permitted(&mut service, &statement).await;
    }
    for role in [OWNER, "postgres"] {
        let inherits: bool = sqlx::query_scalar("SELECT pg_has_role($1, $2, 'MEMBER')")
            .bind(SERVICE)
            .bind(role)
            .fetch_one(&pool)
            .await
            .expect("a role");
        assert!(!inherits, "the service is {role}");
    }
    assert!(
        PgConnection::connect(&database.url_as(OWNER))
            .await
            .is_err(),
        "the owner logs in"
    );
}

/// Everything in the schema but parts of partitioned tables.
async fn tables(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT relname::text FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1",
    )
    .fetch_all(pool)
    .await
    .expect("tables")
}

/// A table whose trigger refuses to delete its rows is one whose rows nobody may delete, and so on.
async fn assert_refusing_triggers_are_declared(pool: &PgPool, schema: &Schema) {
    let triggers: Vec<(String, i16)> = sqlx::query_as(
        "SELECT relname::text, tgtype FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
         JOIN pg_proc ON pg_proc.oid = tgfoid
         WHERE NOT tgisinternal AND tgqual IS NULL AND proname = 'refuse_change'",
    )
    .fetch_all(pool)
    .await
    .expect("triggers");
    for (table, events) in triggers {
        let declared = schema.rights.iter().any(|(name, _)| *name == table);
        assert!(declared, "{table} has a trigger and no declared rights");
        for (bit, privilege) in EVENTS {
            let granted: bool = sqlx::query_scalar("SELECT has_table_privilege($1, $2, $3)")
                .bind(SERVICE)
                .bind(&table)
                .bind(privilege)
                .fetch_one(pool)
                .await
                .expect("a privilege");
            assert!(
                events & bit == 0 || !granted,
                "{table}: a trigger refuses {privilege}, which is granted"
            );
        }
    }
}

/// Rows that may not be changed or deleted are not.
async fn assert_kept(service: &mut PgConnection, pool: &PgPool, table: &str, rights: Rights) {
    let columns: Vec<String> = sqlx::query_scalar(
        "SELECT attname::text FROM pg_attribute
         WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped",
    )
    .bind(table)
    .fetch_all(pool)
    .await
    .expect("columns");
    let (mut changes, deletes) = match rights {
        Rights::Write => (vec![], true),
        Rights::Update => (vec![], false),
        Rights::Replace | Rights::Remove => (columns.clone(), true),
        Rights::Append | Rights::Read => (columns.clone(), false),
        Rights::Amend(amended) => {
            let is_kept = |column: &&String| !amended.contains(&column.as_str());
            (columns.iter().filter(is_kept).cloned().collect(), false)
        }
    };
    changes.sort_unstable();
    for column in changes {
        let update = format!("UPDATE {table} SET \"{column}\" = DEFAULT");
        assert_not_permitted(service, &update).await;
    }
    if !deletes {
        assert_not_permitted(service, &format!("DELETE FROM {table}")).await;
    }
}

async fn assert_structure_is_kept(service: &mut PgConnection, pool: &PgPool, table: &str) {
    for statement in [
        format!("TRUNCATE {table}"),
        format!("DROP TABLE {table}"),
        format!("ALTER TABLE {table} DISABLE TRIGGER ALL"),
        format!("ALTER TABLE {table} ADD COLUMN another text"),
        format!("ALTER TABLE {table} OWNER TO {SERVICE}"),
        format!(
            "CREATE TRIGGER another BEFORE INSERT ON {table} EXECUTE FUNCTION suppress_redundant_updates_trigger()"
        ),
    ] {
        assert_not_permitted(service, &statement).await;
    }
    let triggers: Vec<String> = sqlx::query_scalar(
        "SELECT tgname::text FROM pg_trigger WHERE tgrelid = $1::text::regclass AND NOT tgisinternal",
    )
    .bind(table)
    .fetch_all(pool)
    .await
    .expect("triggers");
    for trigger in triggers {
        assert_not_permitted(service, &format!("DROP TRIGGER {trigger} ON {table}")).await;
        let disable = format!("ALTER TABLE {table} DISABLE TRIGGER {trigger}");
        assert_not_permitted(service, &disable).await;
    }
}

async fn assert_not_permitted(service: &mut PgConnection, statement: &str) {
    let query: Query<'_, sqlx::Postgres, PgArguments> =
        sqlx::query(AssertSqlSafe(statement.to_owned()));
    let outcome = query.execute(service).await;
    let code = match &outcome {
        Err(sqlx::Error::Database(error)) => error.code(),
        _ => None,
    };
    assert_eq!(
        code.as_deref(),
        Some(NOT_PERMITTED),
        "{statement}: {outcome:?}"
    );
}
