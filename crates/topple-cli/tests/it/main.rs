//! The command through the real binary, as people and scripts use it.

mod bad_input;
mod check_test_list;
mod generate;
mod guide;
mod help;
mod render;
mod run;
mod save;
mod support;
mod trajectory;
