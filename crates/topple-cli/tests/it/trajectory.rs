//! Trajectories: columns, rows, numbers that come back.

use crate::support::{Bench, DIRECTED, STACK};

#[test]
fn csv_in_the_plane() {
    let bench = Bench::new();
    bench.write("x.scene", STACK);
    bench.good("run x.scene -n 3 --trajectory t.csv");
    let text = bench.read("t.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("frame,time,id,name,x,y,angle,vx,vy,w"));
    assert_eq!(lines.next(), Some("0,0,0,floor,0,-0.5,0,0,0,0"));
    assert_eq!(text.lines().count(), 1 + 4 * 7, "frame 0 is the start");
    assert!(text.contains("\n0,0,1,brick[0],0,0.25,0,0,0,0\n"));
    assert!(text.contains("\n3,0.05"));
}

#[test]
fn jsonl_in_space() {
    let bench = Bench::new();
    bench.write("x.scene", "world { gravity 0,0,0 }\nsphere a { radius 1  centre 1,2,3  vel 6,0,0 }");
    bench.good("run x.scene -n 60 --trajectory t.jsonl");
    let text = bench.read("t.jsonl");
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 61);
    let fields: Vec<_> = rows[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(fields.join(" "), "frame time id name x y z qx qy qz qw vx vy vz wx wy wz");
    let last = &rows[60];
    assert_eq!((last["frame"].as_u64(), last["name"].as_str()), (Some(60), Some("a")));
    assert!((last["x"].as_f64().unwrap() - 7.0).abs() < 1e-4);
    assert_eq!(last["qw"], 1.0);
}

#[test]
fn bodies_that_come_later_get_numbers_of_their_own() {
    let bench = Bench::new();
    bench.write("x.scene", DIRECTED);
    bench.good("run x.scene -n 25 --trajectory t.csv");
    let text = bench.read("t.csv");
    let of_frame = |frame: u32| text.lines().filter(|line| line.starts_with(&format!("{frame},"))).count();
    assert_eq!([of_frame(0), of_frame(1), of_frame(11), of_frame(25)], [1, 1, 2, 3]);
}
